/** The types of a client of the API that the OpenAPI document describes, as a TypeScript module. */
export function generateTypes(document: string): Promise<string>;
