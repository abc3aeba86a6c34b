"""Turner and Firth (2012), the BradleyTerry2 vignette."""
