/** What a comment of ours says where it cannot be hidden, at Jira and Linear. */
export const shownCommentMarker = (taskId: string): string => `svc:${taskId}`;

/** What a comment of ours at GitHub says out of sight. */
export const commentMarker = (taskId: string): string => `<!-- ${shownCommentMarker(taskId)} -->`;

/** Whether the comment carries the marker of any task: it must never ask for work when it comes back. */
export const isOwnComment = (body: string): boolean => body.includes(shownCommentMarker('task_'));
