inspect
--escaped
a\z
