reset
*
--yes
