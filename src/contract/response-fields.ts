import { z } from 'zod';
import { contract } from './index.ts';
import { liveMessageSchema } from './live.ts';
import type { Routes } from './route.ts';

/** The fields that an object may have; those of a list are the fields of its items. */
export interface Fields {
  readonly names: readonly string[];
  /** Whether it may have other fields, too. */
  readonly isOpen: boolean;
  /** The fields of one of its fields. */
  at(name: string): Fields;
}

interface JsonSchema {
  $ref?: string;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  type?: string;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
}
type Definitions = Record<string, JsonSchema>;

/**
 * The fields that the responses of a route may have, such as `tasks.get`, the events of its stream (`tasks.listEventsStream`)
 * or the messages of the live feed (`live`); undefined where there is no such route.
 */
export function responseFields(name: string): Fields | undefined {
  if (name === 'live') return fieldsOf([liveMessageSchema]);
  const [resource = '', action = ''] = name.split('.');
  const routes = (contract as Record<string, Routes>)[resource];
  const route = routes?.[action];
  if (route) return fieldsOf([route.response, ...Object.values(route.also ?? {})]);
  const { events } = routes?.[action.replace(/Stream$/, '')] ?? {};
  return events && fieldsOf([events]);
}

function fieldsOf(schemas: (z.ZodType | undefined)[]): Fields {
  const all = schemas.flatMap((schema) => {
    if (!schema) return [];
    const { $defs = {}, ...json } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as {
      $defs?: Definitions;
    } & JsonSchema;
    return objectsIn(json, $defs).map((object) => ({ object, definitions: $defs }));
  });
  return level(all);
}

interface Placed {
  object: JsonSchema;
  definitions: Definitions;
}

function level(objects: readonly Placed[]): Fields {
  return {
    names: [...new Set(objects.flatMap(({ object }) => Object.keys(object.properties ?? {})))],
    isOpen: objects.some(({ object }) => isOpen(object)),
    at: (name) =>
      level(
        objects.flatMap(({ object, definitions }) => {
          const { properties = {}, additionalProperties } = object;
          const schema =
            properties[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : {});
          return objectsIn(schema, definitions).map((each) => ({ object: each, definitions }));
        }),
      ),
  };
}

const isOpen = ({ type, additionalProperties }: JsonSchema) =>
  type === undefined || (additionalProperties !== undefined && additionalProperties !== false);

/** The objects that a value of the schema may be, or that it may contain as a list. */
function objectsIn(schema: JsonSchema, definitions: Definitions, seen: readonly string[] = []): JsonSchema[] {
  const { $ref, anyOf, oneOf, allOf, items, prefixItems, type } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    const definition = definitions[name];
    return seen.includes(name) || !definition ? [] : objectsIn(definition, definitions, [...seen, name]);
  }
  const parts = [anyOf, oneOf, allOf, items && [items], prefixItems].flatMap((list) => list ?? []);
  if (parts.length > 0) return parts.flatMap((part) => objectsIn(part, definitions, seen));
  return type === 'object' || Object.keys(schema).length === 0 ? [schema] : [];
}
