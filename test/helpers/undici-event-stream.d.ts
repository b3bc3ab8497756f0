/** The parser of undici's EventSource, which has no types of its own. */
declare module 'undici/lib/web/eventsource/eventsource-stream.js' {
  import type { Transform } from 'node:stream';
  interface Parsed {
    type: string;
    options: { data: string; lastEventId?: string };
  }
  export const EventSourceStream: new (options: {
    eventSourceSettings: { lastEventId: string; origin: string; reconnectionTime: number };
    push: (event: Parsed) => boolean;
  }) => Transform;
}
