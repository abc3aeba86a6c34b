"""Hopkins and May (2013), models of translation competitions."""
