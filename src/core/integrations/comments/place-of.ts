import type { CommentTarget } from '../inbound/source-work.ts';
import type { CommentPlace, PlaceOf } from './comment-place.ts';
import { githubComments } from './github-comments.ts';
import { jiraComments } from './jira-comments.ts';
import { linearComments } from './linear-comments.ts';

/** Where the vendor of a target keeps the comment of a task. */
export function placeOf(target: CommentTarget, place: PlaceOf): CommentPlace {
  switch (target.provider) {
    case 'codehost':
      return githubComments(target, place);
    case 'tracker_a':
      return jiraComments(target, place);
    case 'tracker_b':
      return linearComments(target, place);
  }
}
