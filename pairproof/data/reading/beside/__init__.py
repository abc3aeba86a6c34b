"""What is read beside comparisons: errors by sentence, contests to come, columns of either side, votes that stand twice."""
