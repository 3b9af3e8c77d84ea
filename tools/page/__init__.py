"""Making the measurements that the atlas page carries."""
