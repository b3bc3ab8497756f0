/** What a task asks of the daemon that runs it. */
export interface Requirements {
  /** The type of its agent; empty where only its row names it. */
  agent: string;
  /** Labels, sorted. */
  needs: readonly string[];
}

/** What a daemon has. */
export interface Ability {
  hasAgent(type: string): boolean;
  hasLabel(label: string): boolean;
}

/** Whether a daemon can run a task: the one rule of the queue, the claim, and the answer to why a task waits. */
export const canRun = (daemon: Ability, { agent, needs }: Requirements): boolean =>
  (agent === '' || daemon.hasAgent(agent)) && needs.every((label) => daemon.hasLabel(label));

/** A host without a daemon for so long is gone, and nothing waits for it any more. */
export const HOST_GONE_MS = 10 * 60_000;

export const hostLabel = (host: string): string => `host:${host}`;

/** The labels of a daemon: those of its settings, its host and its id. */
export const labelsOfDaemon = ({
  id,
  host,
  labels,
}: {
  id: string;
  host: string;
  labels: readonly string[];
}): string[] => [...labels, hostLabel(host), `daemon:${id}`];

/** What asks for no label. */
export const noNeeds: readonly string[] = [];

/** The labels that a task asks for: those that its creator named, and the host where its directory is. */
export function needsOf({
  needs,
  home,
}: {
  /** A JSON list. */
  needs: string | null;
  home: string | null;
}): readonly string[] {
  if (needs === null && home === null) return noNeeds;
  const labels = new Set(needs === null ? [] : (JSON.parse(needs) as string[]));
  if (home !== null) labels.add(hostLabel(home));
  return [...labels].sort();
}
