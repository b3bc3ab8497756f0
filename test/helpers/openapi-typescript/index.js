import openapiTypescript, { astToString } from 'openapi-typescript';

export const generateTypes = async (document) => astToString(await openapiTypescript(document));
