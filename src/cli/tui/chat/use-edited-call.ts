import { useRef, useState } from 'react';
import type { Approval } from '../../../contract/approvals.ts';
import { argumentsText, parseArguments } from '../../commands/approvals/edit-arguments.ts';

type Params = Approval['params'];

interface Options {
  /** Resolves with a text as an editor saved it. */
  edit: (text: string, name: string) => Promise<string | undefined>;
  /** The call with other arguments; undefined where they are refused, which is shown. */
  preview: (id: string, body: { arguments: Params }) => Promise<{ approval: Approval } | undefined>;
  remark: (text: string) => void;
}

/** A pending call as a person has changed it. */
interface EditedCall {
  approval: Approval;
  arguments?: Params;
  /** How often it was changed. */
  changes: number;
}

/** The arguments of pending calls, which a person may change in an editor before allowing them. */
export function useEditedCall({ edit, preview, remark }: Options) {
  const [edited, setEdited] = useState<EditedCall>();
  /** What was written last, also where it cannot be used yet. */
  const draft = useRef({ id: '', text: '' });
  return {
    /** What is decided on. */
    of: (approval: Approval): EditedCall =>
      edited?.approval.id === approval.id ? edited : { approval, changes: 0 },
    edit: async (approval: Approval): Promise<void> => {
      const { id } = approval;
      const present = draft.current.id === id ? draft.current.text : argumentsText(approval.params);
      try {
        const saved = await edit(present, 'arguments.json');
        if (saved === undefined || `${saved}\n` === present) return;
        draft.current = { id, text: `${saved}\n` };
        const changed = parseArguments(saved);
        const answer = await preview(id, { arguments: changed });
        if (!answer) return;
        setEdited((before) => ({
          approval: answer.approval,
          arguments: changed,
          changes: (before?.changes ?? 0) + 1,
        }));
      } catch (error) {
        remark(error instanceof Error ? error.message : String(error));
      }
    },
  };
}
