// What a schema of an object consists of is made when it is first used: at the start of the daemon that is very little of it.
import { parseSync, Visitor } from 'rolldown/utils';

const builders = new Set(['object', 'strictObject', 'looseObject', 'extend', 'safeExtend']);

/**
 * Turns `z.object({ name: z.string() })` of our sources into `z.object({ get name() { return z.string() } })`. Zod calls such
 * a getter once, with the first use of the object, https://zod.dev/api?id=recursive-objects.
 */
export const lateSchemas = {
  name: 'late-schemas',
  transform: {
    filter: { id: /\/src\/.*\.tsx?$/, code: /\bfrom 'zod'/ },
    handler(code, id, { magicString }) {
      const { program } = parseSync(id, code);
      new Visitor({
        CallExpression({ callee, arguments: [shape] }) {
          if (callee.type !== 'MemberExpression' || !builders.has(callee.property.name)) return;
          if (shape?.type !== 'ObjectExpression') return;
          for (const property of shape.properties) if (isMade(property)) makeLate(property);
        },
      }).visit(program);
      return { code: magicString };

      function makeLate({ key, value }) {
        magicString.appendLeft(key.start, 'get ');
        magicString.update(key.end, value.start, '() { return ');
        magicString.appendRight(value.end, '; }');
      }
    },
  },
};

/** A property whose value is made by a call, and not by an earlier statement. */
const isMade = (property) =>
  property.type === 'Property' &&
  property.kind === 'init' &&
  !property.computed &&
  !property.shorthand &&
  property.value.type === 'CallExpression';
