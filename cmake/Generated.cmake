# Sources that tools/kafkagen writes into the build tree; filled in beside the generator.
