"""The same network trained many times with settings that vary."""
