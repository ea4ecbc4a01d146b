list
--redis
http://example.org
