import type { SourceRules } from './source-rules.ts';

/** Where a comment that tells how a task goes belongs. */
export type CommentTarget =
  | { provider: 'codehost'; repository: string; number: number }
  /** `site` is the origin of the Jira site, such as https://example.atlassian.net. */
  | { provider: 'tracker_a'; site: string; issueKey: string }
  /** `issueId` is the id of Linear, not the identifier that people see. */
  | { provider: 'tracker_b'; issueId: string };

/** The task that a delivery asks for, in the vendor's own words: nothing here is cut or checked yet. */
export interface SourceWork {
  sourceId: string;
  sourceUrl: string | undefined;
  title: string;
  description: string;
  /** What a comment asks for, without the mention or command before it, or that a review is asked for. */
  prompt?: string;
  labels: string[];
  priority: 1 | 2 | 3 | 4;
  repository: string | undefined;
  branch: string | undefined;
  /** While a task with this key has not ended, another delivery with it asks for the same work. */
  contentKey: string;
  /** True where the branch must be one that a task of ours works on. */
  needsTaskBranch?: boolean;
  target: CommentTarget | undefined;
}

/** What a delivery is, as its vendor says it. */
export interface SourceEvent {
  event: string;
  action: string | undefined;
  sender: string | undefined;
  /** The issue, pull request or check that it is about, also where it is ignored. */
  sourceId: string | undefined;
  verdict: { work: SourceWork; rules: SourceRules } | { ignored: string };
}

/** The headers of a request, names in lower case. */
export type SourceHeaders = Readonly<Record<string, string | string[] | undefined>>;
/** What holds for a repository, project or team by its name. */
export type RulesOf = (place: string | undefined) => SourceRules;

/**
 * Reads a signed delivery of one vendor.
 * Throws an `AppError` with code `validation` for a body that is no delivery of the vendor at all; anything else that
 * asks for nothing is ignored, with the reason.
 */
export type ReadSource = (
  delivery: { headers: SourceHeaders; payload: unknown },
  rulesOf: RulesOf,
) => SourceEvent;
