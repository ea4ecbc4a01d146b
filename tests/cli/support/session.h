// A session: command lines of rlctl and all that they print, as one text file. Playing it gives the
// same text with what is printed now.
//
//   # a comment
//   @redis                      starts a redis-server for the session
//   @redis GET k                sends a command to it; its answer is a number or a text, or none
//   = 1
//   @file a.json {"a": 1}       writes a file; "@file NAME" alone: the lines up to "@end"
//   @figures                    in the next command's output, figures may differ
//   $ rlctl list --redis {redis}
//   < a line of standard input
//   a line of standard output
//   ! a line of standard error
//   exit 0
//
// {folder} stands for a folder of the session, {redis} for its server's URL, in commands and in
// output. Words are split at blanks; '…' and "…" keep theirs. Throws std::runtime_error if the text
// is not a session.
#pragma once

#include <string>

std::string play_session(const std::string& session);
