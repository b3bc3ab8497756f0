import type { SourceRules } from './source-rules.ts';

/** The issue or pull request that receives a task's progress comment. */
export type CommentTarget =
  | { provider: 'github'; repository: string; number: number }
  /** `site` is the origin of the Jira site, such as https://example.atlassian.net. */
  | { provider: 'jira'; site: string; issueKey: string }
  /** `issueId` is Linear's internal id, not the identifier that people see. */
  | { provider: 'linear'; issueId: string };

/** The task that a delivery requests, as received: nothing is truncated or validated yet. */
export interface SourceWork {
  sourceId: string;
  sourceUrl: string | undefined;
  title: string;
  description: string;
  /** The request of a comment without its mention or command, or the request for a review. */
  prompt?: string;
  labels: string[];
  priority: 1 | 2 | 3 | 4;
  repository: string | undefined;
  branch: string | undefined;
  /** Deduplicates work: while a task with this key is unfinished, a delivery with the same key is a duplicate. */
  contentKey: string;
  /** Whether the work requires that a task has this branch. */
  needsTaskBranch?: boolean;
  target: CommentTarget | undefined;
}

/** A review or a failed check of a pull request, as received; whether svc opened it is not known yet. */
export interface FollowUpRequest {
  repository: string;
  /** The name of the rule that wants to hear of it. */
  rule: string;
  branch: string;
  /** The commit that a check ran on. */
  commit?: string;
  /** What it is, as the begin of a sentence: `The check “build” failed`. */
  what: string;
  /** Untrusted. */
  text: string;
  url: string | undefined;
  /** Whether what it changes is pushed without being asked for. */
  pushes: boolean;
}

/** A delivery as parsed by its vendor's reader. */
export interface SourceEvent {
  event: string;
  action: string | undefined;
  sender: string | undefined;
  /** The issue, pull request or check of the delivery, including ignored ones. */
  sourceId: string | undefined;
  verdict: { work: SourceWork; rules: SourceRules } | { ignored: string };
  /** Takes precedence over the verdict where svc opened the pull request. */
  followUp?: FollowUpRequest | undefined;
}

/** Request headers with lower-case names. */
export type SourceHeaders = Readonly<Record<string, string | string[] | undefined>>;
/** Looks up the rules for a repository, project or team by name. */
export type RulesOf = (name: string | undefined) => SourceRules;

/**
 * Reads a signed delivery of one vendor.
 * Throws an `AppError` with code `validation` if the body is not a delivery of the vendor. Any other delivery that
 * requests no work is ignored, with the reason.
 */
export type ReadSource = (
  delivery: { headers: SourceHeaders; payload: unknown },
  rulesOf: RulesOf,
) => SourceEvent;
