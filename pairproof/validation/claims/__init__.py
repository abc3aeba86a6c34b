"""What a page says: claims files, the numbers printed in them, their data and schema."""


#: How the name of a claims file ends; the command and pytest know it by that.
SUFFIX = ".claims.toml"
