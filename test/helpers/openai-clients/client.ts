/** Where the API is, and the token for it. */
export interface Door {
  /** Ends in `/v1`. */
  baseURL: string;
  apiKey: string;
}

/** What a client understood of an answer. */
export interface Said {
  text: string;
  usage: { input: number | undefined; output: number | undefined };
}

export interface ToolLoop {
  /** The arguments with which the tool was called. */
  calls: unknown[];
  text: string;
}

/** A program that speaks the API of OpenAI, and which this project did not write. Absent is what it cannot do. */
export interface OpenAiClient {
  name: string;
  chat(door: Door, model: string): Promise<Said>;
  stream(door: Door, model: string): Promise<Said>;
  /** Calls the tool, sends its result, and reads the answer. */
  tools(door: Door, model: string, tool: string, isStream: boolean): Promise<ToolLoop>;
  /** An object of the form of `citySchema`. */
  structured(door: Door, model: string): Promise<unknown>;
  /** The text of an answer about an image. */
  vision(door: Door, model: string, imageUrl: string): Promise<string>;
  embed(door: Door, model: string, text: string): Promise<number[]>;
  respond?(door: Door, model: string): Promise<Said>;
  respondStream?(door: Door, model: string): Promise<Said>;
  respondTools?(door: Door, model: string, tool: string, isStream: boolean): Promise<ToolLoop>;
  /** What it makes of a refusal. */
  error(door: Door, model: string): Promise<{ status: number | undefined; code: string | undefined }>;
  /** Reads the beginning of a stream and leaves. */
  abort(door: Door, model: string): Promise<void>;
}

export const question = 'How are you?';

/** Two numbers, as the tools of the recordings take them. */
export const numbersSchema = {
  type: 'object' as const,
  properties: { a: { type: 'number' as const }, b: { type: 'number' as const } },
  required: ['a', 'b'],
  additionalProperties: false,
};

export const citySchema = {
  type: 'object',
  properties: { city: { type: 'string' }, country: { type: 'string' } },
  required: ['city', 'country'],
  additionalProperties: false,
} as const;
