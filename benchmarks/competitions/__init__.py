"""Translation competitions: the samplers of the item-response models beside JAGS and MCMCpack."""
