import { Box, Code, List, Stack, Text, TextInput } from '@mantine/core';
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import { visibleText } from '../lib/visible-text.ts';
import { StatusDot } from './facts.tsx';
import { type Failure, FailureNote, FailurePanel } from './failure-panel.tsx';
import { useSingleFlight } from './hooks.tsx';
import { DeploymentBadge } from './layout.tsx';
import { DialogForm, Modal } from './modal.tsx';
import { useReason } from './reason-field.tsx';
import classes from './ui.module.css';

/** What an action does: one sentence, with details to unfold. */
export interface Consequences {
  consequence: string;
  /** Further consequences, what stays, and how to undo it. */
  details: readonly string[];
}

/**
 * Asks to confirm an action; for a drastic one, a text must be typed. Stays open until the server responds. If `act`
 * rejects, displays the error, or for `PartlyDone` the result of each part.
 */
export function ConfirmDialog(
  props: Consequences & {
    /** The action with its object: “Delete Ada Lovelace?” */
    title: string;
    /** A sentence that must not be overlooked. */
    warning?: string | undefined;
    parts?: readonly string[];
    /** Typing any one of these enables the button. */
    typed?: string | readonly string[] | undefined;
    action: string;
    /** False if nobody loses access or data: the button is not red. */
    danger?: boolean;
    /** No field for a reason: nothing is ended or deleted. */
    withoutReason?: boolean;
    /** Why the action is unavailable; replaces the consequences. */
    refused?: string | undefined;
    act: (reason: string) => Promise<void>;
    onClose: () => void;
    children?: ReactNode;
  },
) {
  const { run, pending } = useSingleFlight();
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const { refused } = props;
  const { reason, missing, field } = useReason(!props.withoutReason && refused === undefined);
  const result = failure instanceof PartlyDone ? failure : undefined;
  const accepted = refused === undefined ? [props.typed ?? []].flat().map(visibleText) : [];
  const ready = !missing && (accepted.length === 0 || accepted.includes(visibleText(text)));

  const submit = () =>
    void run(async () => {
      if (result === undefined) setFailure(undefined);
      await props.act(reason).catch((error) => setFailure(error as Error));
    });

  return (
    <Modal opened busy={pending} onClose={props.onClose} title={visibleText(result?.message ?? props.title)}>
      <DialogForm
        start={<DeploymentBadge />}
        onCancel={props.onClose}
        cancel={refused === undefined && result === undefined ? undefined : 'Close'}
        pending={pending}
        submit={refused === undefined ? (result === undefined ? props.action : 'Try again') : undefined}
        color={props.danger === false ? undefined : 'red.9'}
        disabled={!ready}
        onSubmit={submit}
      >
        {result !== undefined ? (
          <PartResults {...result} />
        ) : refused !== undefined ? (
          <Text size="sm">{refused}</Text>
        ) : (
          <>
            {props.warning !== undefined && (
              <Text size="sm" fw={600}>
                {props.warning}
              </Text>
            )}
            <Text size="sm">{visibleText(props.consequence)}</Text>
            {props.parts !== undefined && (
              <List spacing={4}>
                {props.parts.map((part) => (
                  <List.Item key={part}>{part}</List.Item>
                ))}
              </List>
            )}
            <Details sentences={props.details} />
            {props.children}
          </>
        )}
        {accepted.length > 0 && (
          <TextInput
            data-autofocus
            label={
              <Text span size="sm">
                Type{' '}
                {accepted.map((one, index) => (
                  <Fragment key={one}>
                    {index > 0 && ' or '}
                    <Code style={TYPED}>{one}</Code>
                  </Fragment>
                ))}{' '}
                to confirm
              </Text>
            }
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        {result === undefined && field}
        {failure !== undefined && result === undefined && <FailurePanel error={failure} />}
      </DialogForm>
    </Modal>
  );
}

/** Never truncated, since operators have to type it. */
const TYPED = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', userSelect: 'all' } as const;

/** Sentences behind a disclosure triangle. */
export const Details = ({ summary = 'Details', sentences }: { summary?: string; sentences: readonly string[] }) =>
  sentences.length > 0 && (
    <Text component="details" size="sm" className={classes.details}>
      <summary>{summary}</summary>
      <List spacing={4}>
        {sentences.map((sentence) => (
          <List.Item key={sentence}>{visibleText(sentence)}</List.Item>
        ))}
      </List>
    </Text>
  );

/** Some parts of an action failed, the others are done. Another call must repeat only the failed parts. */
export class PartlyDone extends Error {
  readonly done: readonly string[];
  readonly failed: readonly { part: string; error: Failure }[];

  /** @param message the result in a few words, as the title of the dialog */
  constructor(message: string, done: PartlyDone['done'], failed: PartlyDone['failed']) {
    super(message);
    this.done = done;
    this.failed = failed;
  }
}

function PartResults({ done, failed }: Pick<PartlyDone, 'done' | 'failed'>) {
  const results = useRef<HTMLDivElement>(null);
  // The pressed button lost its focus when it was disabled.
  useEffect(() => (failed.length > 0 ? results.current?.focus() : undefined), [failed]);
  return (
    <Stack gap="sm" ref={results} tabIndex={-1} style={{ outline: 'none' }}>
      {failed.map(({ part, error }) => (
        <div key={part}>
          <StatusDot status="bad">
            <b>{part}</b>
          </StatusDot>
          <Box pl={18}>
            <FailureNote error={error} />
          </Box>
        </div>
      ))}
      {done.map((part) => (
        <StatusDot key={part} status="good">
          {part}
        </StatusDot>
      ))}
    </Stack>
  );
}

export const TOKENS_STAY = 'Tokens that applications already have stay valid until they expire.';
export const CANNOT_BE_UNDONE = 'This cannot be undone.';
export const SESSIONS_STAY_ENDED = 'Ended sessions cannot be restored.';
export const CONSENTS_STAY_REVOKED = 'Revoked consents cannot be restored: only the person can give them again.';
