"""Tables of direct assessment scores from Appraise and WMT, and the campaigns that are made from them."""
