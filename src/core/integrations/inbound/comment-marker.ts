/** The visible marker of our comments at Jira and Linear, where it cannot be hidden. */
export const shownCommentMarker = (taskId: string): string => `svc:${taskId}`;

/** The hidden marker of our comments at GitHub. */
export const commentMarker = (taskId: string): string => `<!-- ${shownCommentMarker(taskId)} -->`;

/** Whether the comment has the marker of a task. Such a comment must never create a task. */
export const isOwnComment = (body: string): boolean => body.includes(shownCommentMarker('task_'));
