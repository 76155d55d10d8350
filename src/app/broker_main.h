// For callers of run_broker.
#pragma once
#include "app/run_broker.h"
