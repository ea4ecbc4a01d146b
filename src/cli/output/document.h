// Prints a result document (result/) as one JSON object. It is apart from output.h, because few
// verbs have such a document, and the JSON library is slow to compile.
#pragma once

#include "cli/output/output.h"
#include "result/codec.h"

namespace rlctl {

template <class Document>
void print_document(Document document) {
  document.version = RLCTL_VERSION;
  print_json(to_json(document));
}

}  // namespace rlctl
