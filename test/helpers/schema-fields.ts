import type { z } from 'zod';

/** One field of a schema, and the value that has `field` there and nothing else. */
export interface SchemaField {
  path: string;
  around: (field: unknown) => unknown;
}
type Def = {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  valueType?: z.ZodType;
  innerType?: z.ZodType;
  in?: z.ZodType;
  getter?: () => z.ZodType;
  options?: z.ZodType[];
  items?: z.ZodType[];
  left?: z.ZodType;
  right?: z.ZodType;
  values?: unknown[];
};

const defOf = (schema: z.ZodType) => schema._zod.def as unknown as Def;

/** Every field of a schema, the whole value first, however deep it lies; what contains itself is entered once. */
export function fieldsOf(
  schema: z.ZodType,
  path = '',
  around: (field: unknown) => unknown = (field) => field,
  entered: readonly z.ZodType[] = [],
): SchemaField[] {
  if (entered.includes(schema)) return [];
  const within = [...entered, schema];
  const def = defOf(schema);
  const inside = (inner: z.ZodType | undefined, name: string, wrap: (field: unknown) => unknown) =>
    inner
      ? fieldsOf(inner, path === '' ? name : `${path}.${name}`, (field) => around(wrap(field)), within)
      : [];
  const same = (inner: z.ZodType | undefined) =>
    inner ? fieldsOf(inner, path, around, within).filter(({ path: each }) => each !== path) : [];
  const literals = literalsOf(def.shape);
  return [
    { path, around },
    ...Object.entries(def.shape ?? {}).flatMap(([key, inner]) =>
      inside(inner, key, (field) => ({ ...literals, [key]: field })),
    ),
    ...inside(def.element, '0', (field) => [field]),
    ...inside(def.valueType, 'x', (field) => ({ x: field })),
    ...(def.items ?? []).flatMap((item, at) => inside(item, String(at), (field) => fill(at, field))),
    ...[def.innerType, def.in, def.left, def.right, ...(def.options ?? [])].flatMap(same),
    ...(def.type === 'lazy' ? same(def.getter?.()) : []),
  ];
}

/** What picks one of several shapes. */
const literalsOf = (shape: Record<string, z.ZodType> = {}) =>
  Object.fromEntries(
    Object.entries(shape).flatMap(([key, inner]) => {
      const { type, values } = defOf(inner);
      return type === 'literal' ? [[key, values?.[0]]] : [];
    }),
  );

const fill = (at: number, field: unknown) => [...Array.from({ length: at }, () => null), field];

/** A schema and all that it is made of. */
export function schemasOf(schema: z.ZodType, seen = new Set<z.ZodType>()): z.ZodType[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const {
    shape = {},
    element,
    valueType,
    innerType,
    in: input,
    getter,
    options = [],
    items = [],
    left,
    right,
  } = defOf(schema);
  const inner = [
    ...Object.values(shape),
    element,
    valueType,
    innerType,
    input,
    getter?.(),
    ...options,
    ...items,
    left,
    right,
  ];
  return [schema, ...inner.flatMap((each) => (each ? schemasOf(each, seen) : []))];
}
