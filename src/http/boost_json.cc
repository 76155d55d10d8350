// Boost.JSON, compiled once for the whole program: the Boost headers come without built libraries.
#include <boost/json/src.hpp>
