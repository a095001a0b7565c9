import { Button, Code, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, Fragment, type ReactNode, useState } from 'react';
import { visibleText } from '../lib/visible-text.ts';
import { type Failure, FailurePanel } from './failure-panel.tsx';
import { useSingleFlight } from './hooks.tsx';
import { DeploymentBadge } from './layout.tsx';
import { Modal } from './modal.tsx';
import classes from './ui.module.css';

/**
 * Confirms an irreversible action: lists the consequences and, for drastic actions, requires typing a text. Stays open
 * until the server responds, and displays any error.
 */
export function ConfirmDialog(props: {
  title: string;
  consequences: readonly string[];
  /** Typing any one of these enables the button. */
  typed?: string | readonly string[] | undefined;
  action: string;
  /** Why the action is unavailable; replaces the consequences. */
  refused?: string | undefined;
  /** The dialog displays the error if this rejects. */
  act: () => Promise<void>;
  onClose: () => void;
  /** Options below the consequences. */
  children?: ReactNode;
}) {
  const { run, pending } = useSingleFlight();
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const { refused } = props;
  const accepted = refused === undefined ? [props.typed ?? []].flat().map(visibleText) : [];
  const ready = accepted.length === 0 || accepted.includes(visibleText(text));

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!ready || refused !== undefined) return;
    void run(async () => {
      setFailure(undefined);
      await props.act().catch((error) => setFailure(error as Error));
    });
  };

  return (
    <Modal
      opened
      onClose={() => !pending && props.onClose()}
      title={visibleText(props.title)}
      closeButtonProps={{ 'aria-label': 'Close', disabled: pending }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <List spacing={4}>
            {(refused === undefined ? props.consequences : [refused]).map((consequence) => (
              <List.Item key={consequence}>{visibleText(consequence)}</List.Item>
            ))}
          </List>
          {refused === undefined && props.children}
          {accepted.length > 0 && (
            <TextInput
              data-autofocus
              label={
                <Text span size="sm">
                  Type{' '}
                  {accepted.map((one, index) => (
                    <Fragment key={one}>
                      {index > 0 && ' or '}
                      <Code className={classes.typed}>{one}</Code>
                    </Fragment>
                  ))}{' '}
                  to confirm
                </Text>
              }
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          {failure !== undefined && <FailurePanel error={failure} />}
          <Group justify="space-between" gap="xs">
            <DeploymentBadge />
            <Group gap="xs" ml="auto">
              <Button variant="default" onClick={props.onClose} disabled={pending}>
                {refused === undefined ? 'Cancel' : 'Close'}
              </Button>
              {refused === undefined && (
                <Button type="submit" color="red.9" loading={pending} disabled={!ready}>
                  {props.action}
                </Button>
              )}
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Consequences of irreversible actions. */
export const CANNOT_BE_UNDONE = 'This cannot be undone.';
export const SESSIONS_STAY_ENDED = 'Ended sessions cannot be restored.';
export const CONSENTS_STAY_REVOKED = 'Revoked consents cannot be restored: only the person can give them again.';
