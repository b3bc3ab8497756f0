/** Tasks of a request: about a second of work for the daemon. */
const MOST_TASKS = 1000;
/** Far below what the daemon takes in one request. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

export interface ImportPart {
  /** The index of its first task among all. */
  start: number;
  tasks: unknown[];
}

/** Divides an import into requests of a limited size; one without tasks is one request. */
export function* importParts(tasks: readonly unknown[]): Generator<ImportPart> {
  let start = 0;
  do {
    const end = endOfPart(tasks, start);
    yield { start, tasks: tasks.slice(start, end) };
    start = end;
  } while (start < tasks.length);
}

/** At least one task, however large it is. */
function endOfPart(tasks: readonly unknown[], start: number): number {
  let characters = 0;
  let end = start;
  while (end < tasks.length && end - start < MOST_TASKS) {
    characters += JSON.stringify(tasks[end]).length;
    if (characters > MOST_CHARACTERS && end > start) break;
    end++;
  }
  return end;
}
