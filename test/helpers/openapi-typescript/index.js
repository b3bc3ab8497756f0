import openapiTypescript, { astToString } from 'openapi-typescript';

// A field with a default may be left out of a request.
const options = { defaultNonNullable: false };

export const generateTypes = async (document) => astToString(await openapiTypescript(document, options));
