"""The CEMS data of Dittrich, Hatzinger and Katzenbeisser, as BradleyTerry2 and prefmod print them."""
