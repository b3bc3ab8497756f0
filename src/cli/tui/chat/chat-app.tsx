import { Box, type Key, useInput, useWindowSize } from 'ink';
import { useEffect, useMemo, useRef, useState } from 'react';
import { renderEditor } from '../editor/render-editor.ts';
import { splitKeys } from '../editor/key-action.ts';
import { ApprovalBar, approvalRows } from '../parts/approval-bar.tsx';
import { LinesView } from '../parts/line-view.tsx';
import { useBatchedReducer } from '../parts/use-batched-reducer.ts';
import { useTyping } from '../parts/use-typing.ts';
import { ChatSession, type ChatSessionParts } from './chat-session.ts';
import { type ChatState, reduceChat } from './chat-state.ts';
import { gitBranch } from './git-branch.ts';
import { historyQuestion, recallable } from './history-question.ts';
import { LocalCommands } from './local-commands.ts';
import type { MessageHistory } from './message-history.ts';
import { MessageBox, messageRows } from './message-box.tsx';
import { Picker, pickerRows } from './picker.tsx';
import { runSlash } from './run-slash.ts';
import type { Question } from './slash-parts.ts';
import type { SlashName } from './slash-commands.ts';
import { StatusBar, statusRows } from './status-bar.tsx';
import { submitText } from './submit-text.ts';
import { TranscriptView } from './transcript-view.tsx';
import { useEditedCall } from './use-edited-call.ts';
import { useLeave } from './use-leave.ts';
import { useMessage } from './use-message.ts';
import { usePaths } from './use-paths.ts';
import { useTerminal } from './use-terminal.ts';
import { useTranscript } from './use-transcript.ts';
import { waitingLines } from './waiting-lines.ts';

export interface ChatAppProps extends Omit<ChatSessionParts, 'push' | 'apply' | 'settings'> {
  initial: ChatState;
  /** What to send at once. */
  message?: string | undefined;
  history: Pick<MessageHistory, 'messages' | 'add'>;
  env: Record<string, string | undefined>;
  home: string;
  /** Reports the open conversation and its running task, for the notes after the chat. */
  onSession?: (session: ChatSession) => void;
  /** Reports what is shown, for the rows that stay in the terminal after the chat. */
  onState?: (state: ChatState) => void;
}

/** The full-screen chat. */
export function ChatApp(props: ChatAppProps) {
  const { initial, message, history, env, home, onSession, onState, ...parts } = props;
  const { now, folder } = parts;
  const { columns: width, rows: height } = useWindowSize();
  const { state, push, apply } = useBatchedReducer(reduceChat, initial);
  const settings = useRef(state.settings);
  settings.current = state.settings;
  const [session] = useState(
    () => new ChatSession({ ...parts, push, apply, settings: () => settings.current }),
  );
  const [local] = useState(
    () => new LocalCommands({ folder, shell: env['SHELL'] || '/bin/sh', push, apply }),
  );
  const terminal = useTerminal(env);
  const [question, setQuestion] = useState<Question>();
  const [remark, setRemark] = useState<string>();
  const { isLeaving, press: pressLeave, leave } = useLeave();
  const { run } = state;
  const approval = run.approvals[0];
  const typing = useTyping();
  const isWriting = approval === undefined && question === undefined;
  const workFolder = state.conversation?.cwd ?? folder;
  // It may have changed during a turn.
  const branch = useMemo(() => gitBranch(workFolder), [workFolder, state.answeredAt, state.shell]);

  useEffect(() => {
    onSession?.(session);
    session.start();
    if (message) submit(message);
    return () => {
      session.leave();
      local.stop();
    };
    // The first message is sent once, with the settings of the beginning.
  }, [session]);
  useEffect(() => {
    onState?.(state);
  }, [state, onState]);

  const runCommand = (name: SlashName, argument: string) =>
    void runSlash(name, argument, {
      state,
      session,
      apply,
      choose: setQuestion,
      leave,
      now,
      folder,
      copy: terminal.copy,
    });
  const submit = (text: string): boolean => {
    const isTaken = submitText(text, { folder, session, local, runSlash: runCommand, remark: setRemark });
    if (isTaken) {
      history.add(text);
      transcript.toEnd();
    }
    return isTaken;
  };

  const { paths, expect: expectPaths } = usePaths(folder);
  const input = useMessage({
    width,
    paths,
    history: () => recallable(history.messages, run.entries),
    isActive: isWriting,
    onSubmit: submit,
    takeBack: () => session.takeBack(),
    onEmptyBackspace: () => local.dropLast(),
  });
  const isMentioning = /(?:^|\s)@/.test(input.text());
  useEffect(() => expectPaths(isMentioning), [isMentioning, expectPaths]);

  const editor = renderEditor(input.editor, {
    width,
    height: Math.max(1, Math.floor(height / 3)),
    hint: run.entries.length === 0 ? 'Write a message' : 'Write a reply',
  });
  const editedCall = useEditedCall({
    edit: terminal.edit,
    preview: (id, body) => session.fetch((client) => client.approvals.preview({ params: { id }, body })),
    remark: setRemark,
  });
  const call = approval && editedCall.of(approval);
  const waiting = waitingLines(state, width);
  const barRows = Math.max(4, Math.floor(height * 0.6));
  const lowerRows = call
    ? Math.min(barRows, approvalRows(call.approval, width))
    : question
      ? pickerRows(question.choices.length)
      : messageRows(editor, input.completions);
  const viewRows = Math.max(0, height - lowerRows - waiting.length - statusRows(height) - 1);
  const transcript = useTranscript(state, { width, height: viewRows, folder });

  const writeInEditor = async () => {
    try {
      const edited = await terminal.edit(input.text());
      if (edited !== undefined) input.replace(edited);
    } catch (error) {
      setRemark(error instanceof Error ? error.message : String(error));
    }
  };
  const escape = () => {
    if (input.closeCompletions()) return;
    if (local.isRunning) return local.stop();
    if (session.isRunning) return void session.cancel();
    if (approval) apply({ kind: 'put-aside' });
  };
  const press = (letters: string, key: Key) => {
    if (typing.isOn() && !(key.ctrl && letters === 'c')) return;
    setRemark(undefined);
    if (key.ctrl && letters === 'c') {
      if (isWriting && input.clear()) return;
      return pressLeave();
    }
    if (key.ctrl && letters === 'z') return void terminal.suspend();
    if (key.ctrl && letters === 't') return transcript.toggle('isThinkingShown');
    if (key.ctrl && letters === 'o') return transcript.toggle('areResultsShown');
    if (question && !approval) return;
    if (key.escape) return escape();
    if (approval) return;
    if (key.ctrl && letters === 'r')
      return setQuestion(historyQuestion(recallable(history.messages, run.entries), input.replace));
    if (key.ctrl && letters === 'g') return void writeInEditor();
    if (key.pageUp) return transcript.scroll(1 - viewRows);
    if (key.pageDown) return transcript.scroll(viewRows - 1);
    input.press(letters, key);
  };
  useInput((letters, key) => splitKeys(letters, key).forEach((each) => press(...each)));

  return (
    <Box flexDirection="column" width={width} height={height}>
      <TranscriptView view={transcript.view} height={viewRows} width={width} />
      <LinesView lines={waiting} />
      {approval && call ? (
        <ApprovalBar
          key={`${approval.id} ${call.changes}`}
          approval={call.approval}
          isEdited={call.arguments !== undefined}
          waiting={run.approvals.length}
          width={width}
          height={barRows}
          now={now}
          onDecide={(decision) => {
            const isAllowed = decision.decision !== 'deny' && call.arguments !== undefined;
            void session.decide(approval, isAllowed ? { ...decision, arguments: call.arguments } : decision);
          }}
          onEdit={approval.agent === undefined ? () => void editedCall.edit(approval) : undefined}
          typing={typing}
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
          top={viewRows + waiting.length + 1}
        />
      )}
      <StatusBar
        state={state}
        now={now}
        width={width}
        height={height}
        remark={isLeaving ? 'Press Ctrl+C again to exit.' : remark}
        isWriting={isWriting}
        place={{ folder: workFolder, home, branch }}
      />
    </Box>
  );
}
