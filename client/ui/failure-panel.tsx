import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { type ComponentType, createContext, type ReactNode, useContext } from 'react';
import { IconAlertTriangle, IconPlugConnectedX } from './icons.tsx';
import { MissingPart, MissingPartPanel } from './lazy-part.tsx';
import { SignedOutNote } from './signed-out-notice.tsx';
import { StatePanel } from './state-panel.tsx';

/** The fields of the errors in `api/request-error.ts`; other errors have only a message. */
export interface Failure extends Error {
  code?: string;
  hint?: string | undefined;
  requestId?: string | undefined;
}

/**
 * Shown in place of what failed to load: the server's own message, with the request id for the log. A 403 is not an
 * error and looks neutral.
 * @param onRetry repeats a read; omit for actions
 */
export function FailurePanel({ error, title, onRetry }: { error: Failure; title?: string; onRetry?: () => void }) {
  if (error instanceof MissingPart) return <MissingPartPanel error={error} onRetry={onRetry} />;
  if (error.code === 'forbidden') return <StatePanel kind="no-access" title={error.message} text={error.hint} />;
  if (error.code === 'not_authenticated') {
    const pressed = onRetry === undefined;
    return <SignedOutNote title={title ?? (pressed ? 'Failed' : 'Not loaded')} quiet={!pressed} />;
  }
  const offline = error.code === 'no_connection';
  return (
    <Alert
      role="alert"
      variant="default"
      icon={offline ? <IconPlugConnectedX size={24} /> : <IconAlertTriangle size={24} />}
      title={title ?? (offline ? 'No connection to the service' : 'The request failed')}
    >
      <Stack gap="xs">
        <FailureText error={error} />
        {onRetry !== undefined && (
          <Group>
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

/** Message, hint and request id without a frame. */
function FailureText({ error }: { error: Failure }) {
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
        <Text size="xs" c="dimmed">
          Request <Code>{requestId}</Code>
        </Text>
      )}
    </>
  );
}

/** The same, announced, next to what failed. */
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
 * Renders what is wrong with an upstream and what to do, or else its `children`, the server's own message. The app
 * provides it, since it needs data and routes.
 */
export const FailureAdvice = createContext<ComponentType<{ error: Error; children: ReactNode }> | undefined>(undefined);
