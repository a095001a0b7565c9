import { Alert, Code, Group, Stack, Text } from '@mantine/core';
import { type ComponentType, createContext, type ReactNode, useContext, useRef } from 'react';
import { SmallButton } from './buttons.tsx';
import { usePassFocusOn } from './hooks.tsx';
import { Dimmed } from './layout.tsx';
import { MissingPart, MissingPartPanel } from './lazy-part.tsx';
import { IconAlertTriangle, IconPlugConnectedX } from './shell-icons.tsx';
import { SignedOutNote } from './signed-out-notice.tsx';
import { StatePanel } from './state-panel.tsx';

/** The fields of `RequestError`; other errors have only a message. */
export interface Failure extends Error {
  code?: string;
  hint?: string | undefined;
  requestId?: string | undefined;
}

/**
 * Replaces failed content with the server's message, and the id to find the request in the log. A 403 is not a failure,
 * so it looks neutral.
 * @param onRetry repeats a read; omit for actions
 */
export function FailurePanel({ error, title, onRetry }: { error: Failure; title?: string; onRetry?: () => void }) {
  const panel = useRef<HTMLDivElement>(null);
  usePassFocusOn(panel);
  if (error instanceof MissingPart) return <MissingPartPanel error={error} onRetry={onRetry} />;
  if (error.code === 'forbidden') return <StatePanel kind="no-access" title={error.message} text={error.hint} />;
  if (error.code === 'not_authenticated') {
    const isAction = onRetry === undefined;
    return <SignedOutNote title={title ?? (isAction ? 'Failed' : 'Not loaded')} quiet={!isAction} />;
  }
  const offline = error.code === 'no_connection';
  return (
    <Alert
      ref={panel}
      role="alert"
      variant="default"
      icon={offline ? <IconPlugConnectedX size={24} /> : <IconAlertTriangle size={24} />}
      title={
        title ?? (offline ? 'No response from the service' : error.code ? 'The request failed' : 'Unexpected error')
      }
    >
      <Stack gap="xs">
        <FailureText error={error} />
        {onRetry !== undefined && (
          <Group>
            <SmallButton onClick={onRetry}>Try again</SmallButton>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

/** Message, hint and request id, without a frame. */
export function FailureText({ error }: { error: Failure }) {
  const { hint, requestId } = error;
  const Advice = useContext(FailureAdvice);
  const words = (
    <Text size="sm">
      {error.message}
      {hint !== undefined && ` ${hint}`}
    </Text>
  );
  return (
    <>
      {Advice === undefined ? words : <Advice error={error}>{words}</Advice>}
      {requestId !== undefined && (
        <Dimmed size="xs">
          Request <Code>{requestId}</Code>
        </Dimmed>
      )}
    </>
  );
}

/** Like `FailurePanel` without a frame, for a failed action. Screen readers announce it. */
export function FailureNote({ error }: { error: Failure | undefined }) {
  if (error === undefined) return null;
  if (error.code === 'not_authenticated') return <SignedOutNote title="Failed" />;
  return (
    <div role="alert">
      <FailureText error={error} />
    </div>
  );
}

/**
 * Renders advice about a failed upstream, or else `children`, the server's message. The app provides it, since it
 * depends on data and routes.
 */
export const FailureAdvice = createContext<ComponentType<{ error: Error; children: ReactNode }> | undefined>(undefined);
