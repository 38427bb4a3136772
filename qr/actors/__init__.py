"""What waits: one task per piece of state, reached through bounded mailboxes."""
