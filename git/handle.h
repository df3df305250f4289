// SPDX-License-Identifier: Apache-2.0
// Owners of libgit2 objects. Inner header of git/: included by git/*.cpp only.
#pragma once

#include <git2.h>

#include <memory>

namespace sluice::git {

template <auto free_function>
struct Free {
  template <class T>
  void operator()(T* p) const {
    free_function(p);
  }
};

using RepositoryHandle = std::unique_ptr<git_repository, Free<git_repository_free>>;
using OdbHandle = std::unique_ptr<git_odb, Free<git_odb_free>>;
using OdbObjectHandle = std::unique_ptr<git_odb_object, Free<git_odb_object_free>>;
using ObjectHandle = std::unique_ptr<git_object, Free<git_object_free>>;
using ReferenceHandle = std::unique_ptr<git_reference, Free<git_reference_free>>;
using ReferenceIteratorHandle = std::unique_ptr<git_reference_iterator, Free<git_reference_iterator_free>>;
using RevwalkHandle = std::unique_ptr<git_revwalk, Free<git_revwalk_free>>;

}  // namespace sluice::git
