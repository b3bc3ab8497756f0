import { Box, type Key, useInput, useWindowSize } from 'ink';
import { useEffect, useState } from 'react';
import { renderEditor } from '../editor/render-editor.ts';
import { splitKeys } from '../editor/key-action.ts';
import { ApprovalBar, approvalRows } from '../parts/approval-bar.tsx';
import { useBatchedReducer } from '../parts/use-batched-reducer.ts';
import { ChatSession, type ChatSessionParts } from './chat-session.ts';
import { type ChatState, reduceChat } from './chat-state.ts';
import { MessageBox, messageRows } from './message-box.tsx';
import { Picker, pickerRows } from './picker.tsx';
import { type Question, runSlash } from './run-slash.ts';
import { parseSlash } from './slash-commands.ts';
import { StatusBar, statusRows } from './status-bar.tsx';
import { TranscriptView } from './transcript-view.tsx';
import { useLeave } from './use-leave.ts';
import { useMessage } from './use-message.ts';
import { useTranscript } from './use-transcript.ts';

export interface ChatAppProps extends Omit<ChatSessionParts, 'push' | 'apply'> {
  initial: ChatState;
  /** What to send at once. */
  message?: string | undefined;
  /** Reports the open conversation and its running task, for the notes after the chat. */
  onSession?: (session: ChatSession) => void;
}

/** The full-screen chat. */
export function ChatApp({ initial, message, onSession, ...parts }: ChatAppProps) {
  const { now, folder } = parts;
  const { columns: width, rows: height } = useWindowSize();
  const { state, push, apply } = useBatchedReducer(reduceChat, initial);
  const [session] = useState(() => new ChatSession({ ...parts, push, apply }));
  const [question, setQuestion] = useState<Question>();
  const [remark, setRemark] = useState<string>();
  const { isLeaving, press: pressLeave, leave } = useLeave();
  const { run, settings } = state;
  const approval = run.approvals[0];
  const isWriting = approval === undefined && question === undefined;

  useEffect(() => {
    onSession?.(session);
    if (message) void session.send(message, settings);
    return () => session.leave();
    // The first message is sent once, with the settings of the beginning.
  }, [session]);

  const submit = (text: string): boolean => {
    if (text.trim() === '') return false;
    const slash = text.startsWith('/') ? parseSlash(text) : undefined;
    if (slash && 'unknown' in slash) {
      const meant = slash.meant === undefined ? 'List all: /help' : `Did you mean /${slash.meant}?`;
      setRemark(`There is no /${slash.unknown}. ${meant}`);
      return false;
    }
    transcript.toEnd();
    if (slash) {
      void runSlash(slash.name, slash.argument, { state, session, apply, choose: setQuestion, leave, now });
      return true;
    }
    if (session.isRunning) {
      setRemark('Still responding. Press Esc to stop it; your message is kept.');
      return false;
    }
    void session.send(text, settings);
    return true;
  };

  const history = run.entries.flatMap((entry) => (entry.kind === 'person' ? [entry.text] : []));
  const input = useMessage({ width, history, isActive: isWriting, onSubmit: submit });
  const editor = renderEditor(input.editor, {
    width,
    height: Math.max(1, Math.floor(height / 3)),
    hint: run.entries.length === 0 ? 'Write a message' : 'Write a reply',
  });
  const barRows = Math.max(4, Math.floor(height * 0.6));
  const lowerRows = approval
    ? Math.min(barRows, approvalRows(approval, width))
    : question
      ? pickerRows(question.choices.length)
      : messageRows(editor, input.completions);
  const viewRows = Math.max(0, height - lowerRows - statusRows(height) - 1);
  const transcript = useTranscript(state, { width, height: viewRows, folder });

  const press = (letters: string, key: Key) => {
    setRemark(undefined);
    if (key.ctrl && letters === 'c') {
      if (isWriting && input.clear()) return;
      return pressLeave();
    }
    if (key.ctrl && letters === 't') return transcript.toggle('isThinkingShown');
    if (key.ctrl && letters === 'o') return transcript.toggle('areResultsShown');
    if (question && !approval) return;
    if (key.escape && session.isRunning) return void session.cancel();
    if (key.escape && approval) return apply({ kind: 'put-aside' });
    if (approval) return;
    if (key.pageUp) return transcript.scroll(1 - viewRows);
    if (key.pageDown) return transcript.scroll(viewRows - 1);
    input.press(letters, key);
  };
  useInput((letters, key) => splitKeys(letters, key).forEach((each) => press(...each)));

  return (
    <Box flexDirection="column" width={width} height={height}>
      <TranscriptView view={transcript.view} height={viewRows} width={width} />
      {approval ? (
        <ApprovalBar
          key={approval.id}
          approval={approval}
          waiting={run.approvals.length}
          width={width}
          height={barRows}
          now={now}
          onDecide={(decision, covers) => void session.decide(approval, decision, covers)}
        />
      ) : question ? (
        <Picker
          title={question.title}
          choices={question.choices}
          width={width}
          onPick={(value) => {
            setQuestion(undefined);
            question.onPick(value);
          }}
          onClose={() => setQuestion(undefined)}
        />
      ) : (
        <MessageBox
          editor={editor}
          completions={input.completions}
          chosen={input.chosen}
          width={width}
          top={viewRows + 1}
        />
      )}
      <StatusBar
        state={state}
        now={now}
        width={width}
        height={height}
        remark={isLeaving ? 'Press Ctrl+C again to exit.' : remark}
        isWriting={isWriting}
      />
    </Box>
  );
}
