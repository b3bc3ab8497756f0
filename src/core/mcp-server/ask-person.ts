import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ServedCall } from './served-tool.ts';

const KEY = 'confirm';

/** What the client declares in the request, which clients do since revision 2026-07-28. */
export const declaredBy = ({
  mcpReq,
}: ServerContext): { elicitation?: { form?: object; url?: object }; extensions?: object } => {
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  return envelope[CLIENT_CAPABILITIES_META_KEY] ?? {};
};

/** Whether the client can ask its user, and what the user has answered. */
export function personAt(context: ServerContext): ServedCall['person'] {
  const { elicitation } = declaredBy(context);
  // Without a mode it means forms.
  if (!elicitation || (elicitation.url && !elicitation.form)) return 'absent';
  const view = inputResponse(context.mcpReq.inputResponses, KEY);
  if (view.kind === 'missing') return 'unasked';
  return view.kind === 'elicit' && view.action === 'accept' && view.content?.['allow'] === true
    ? 'allowed'
    : 'refused';
}

/** Has the client ask its user, and send the call again with the answer. */
export const askPerson = (message: string): InputRequiredResult =>
  inputRequired({
    inputRequests: {
      [KEY]: inputRequired.elicit({
        message,
        requestedSchema: {
          type: 'object',
          properties: { allow: { type: 'boolean', title: 'Allow this call once' } },
          required: ['allow'],
        },
      }),
    },
  });
