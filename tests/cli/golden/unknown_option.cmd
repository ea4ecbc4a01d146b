list
--stuk
