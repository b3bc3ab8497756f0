import { CliError } from '../errors/cli-error.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { closest } from '../../contract/closest.ts';
import type { Fields } from '../../contract/response-fields.ts';

/** The picked fields by their names, each with what is picked of it; all of it where nothing is. */
interface Picked {
  [name: string]: Picked;
}

/**
 * The fields that `--fields` picks. The first part of a path is a field of the response, or else of the objects that the
 * response contains: `id` of a list of tasks is the same as `tasks.id`.
 */
export class FieldSelection {
  readonly #paths: readonly string[][];
  readonly #fieldsOfRoute: (route: string) => Fields | undefined;
  readonly #resolved = new Map<string, Picked>();

  constructor(paths: readonly string[], fieldsOfRoute: (route: string) => Fields | undefined) {
    this.#paths = paths.map((path) => path.split('.'));
    this.#fieldsOfRoute = fieldsOfRoute;
  }

  /** The picked fields of a response; `route` is where it came from, if it is a response of the daemon. */
  of(value: unknown, route: string | undefined): unknown {
    return pick(value, (route === undefined ? undefined : this.ofRoute(route)) ?? this.#pickedOf(value));
  }

  /** What is picked of the responses of a route; throws where they have no such field. */
  ofRoute(route: string): Picked | undefined {
    const known = this.#resolved.get(route);
    if (known) return known;
    const fields = this.#fieldsOfRoute(route);
    if (!fields) return undefined;
    const picked = toPicked(this.#paths.flatMap((path) => resolve(path, fields)));
    this.#resolved.set(route, picked);
    return picked;
  }

  #pickedOf(value: unknown): Picked {
    const fields = fieldsOfData([value]);
    return toPicked(this.#paths.flatMap((path) => resolve(path, fields)));
  }
}

/** A response that this program put together has the fields that it has; of an empty list nothing is known. */
function fieldsOfData(values: readonly unknown[]): Fields {
  const items = values.flatMap((value): unknown[] => (Array.isArray(value) ? (value as unknown[]) : [value]));
  const objects = items.filter((item) => typeof item === 'object' && item !== null) as Record<
    string,
    unknown
  >[];
  return {
    names: [...new Set(objects.flatMap((object) => Object.keys(object)))],
    isOpen: objects.length === 0 || objects.some((object) => Object.values(object).some(isEmptyList)),
    at: (name) => fieldsOfData(objects.flatMap((object) => (name in object ? [object[name]] : []))),
  };
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Where the path is in a response with these fields. */
function resolve(path: readonly string[], fields: Fields): string[][] {
  const [first = ''] = path;
  const holders = fields.names.filter((name) => fields.at(name).names.length > 0);
  const inside = holders.filter((name) => fields.at(name).names.includes(first));
  if (fields.names.includes(first) || (inside.length === 0 && fields.isOpen)) {
    requireRest(path, fields);
    return [[...path]];
  }
  const [holder] = inside;
  const [only = ''] = holders.length === 1 ? holders : [];
  if (holder === undefined) {
    const names = only === '' ? fields.names : fields.at(only).names;
    throw unknownField(
      path,
      0,
      names,
      holders.flatMap((name) => fields.at(name).names),
    );
  }
  requireRest(path, fields.at(holder));
  return inside.map((name) => [name, ...path]);
}

function requireRest(path: readonly string[], fields: Fields): void {
  let level = fields;
  for (const [at, name] of path.entries()) {
    if (!level.names.includes(name)) {
      if (level.isOpen) return;
      throw unknownField(path, at, level.names);
    }
    level = level.at(name);
  }
}

/** `others` are names that may have been meant too, besides those that are listed. */
function unknownField(
  path: readonly string[],
  at: number,
  names: readonly string[],
  others: readonly string[] = [],
): CliError {
  const known = names.toSorted();
  const name = path.slice(0, at + 1).join('.');
  const meant = closest(path[at] ?? '', [...known, ...others]);
  const above = path.slice(0, at).join('.');
  const did = meant === undefined ? '' : ` Did you mean ${[...path.slice(0, at), meant].join('.')}?`;
  const list =
    known.length === 0 ? `${above} has no fields.` : `Fields${above && ` of ${above}`}: ${known.join(', ')}.`;
  return new CliError(exitCodes.usage, `There is no field "${name}".${did}`, { next: list });
}

function toPicked(paths: readonly (readonly string[])[]): Picked {
  const picked: Picked = Object.create(null) as Picked;
  for (const path of paths) {
    let level = picked;
    for (const name of path) level = level[name] ??= Object.create(null) as Picked;
  }
  return picked;
}

function pick(value: unknown, picked: Picked): unknown {
  const entries = Object.entries(picked);
  if (entries.length === 0) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => pick(item, picked));
  if (typeof value !== 'object' || value === null) return undefined;
  const object = value as Record<string, unknown>;
  return Object.fromEntries(
    entries.flatMap(([name, below]) => {
      const found = Object.hasOwn(object, name) ? pick(object[name], below) : undefined;
      return found === undefined ? [] : [[name, found]];
    }),
  );
}
