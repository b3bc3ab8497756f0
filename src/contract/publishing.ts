/** Operations of people for which a person is asked because the work is untrusted; no tool of an agent has such a name. */
export const publishingOperations = ['push_changes', 'open_pull_request'] as const;
export type PublishingOperation = (typeof publishingOperations)[number];

/** Whether an approval is about one of these: its arguments cannot be changed, and `allow-always` allows it once. */
export const isPublishing = ({ toolName }: { toolName: string }): boolean =>
  (publishingOperations as readonly string[]).includes(toolName);
