import { Alert, Button, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { onOnline } from '../../lib/on-online.ts';
import { reloadKeepingDrafts } from '../../session/leaving.ts';
import { isKept } from '../../session/tab-storage.ts';
import { IconPlugConnectedX, IconRefresh } from '../icons.ts';
import { isNewVersionThere, MissingPart } from './missing-part.ts';
import classes from './missing-part-notice.module.css';

/** Makes another attempt to load what is missing once the browser is back online. Shows nothing. */
export function RetryOnline({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  useEffect(() => {
    if (!(error instanceof MissingPart)) return;
    return onOnline(() => {
      error.forget();
      onRetry();
    });
  }, [error, onRetry]);
  return null;
}

/** Shown in a corner when a dialog failed to load or crashed; the page stays as it is. */
export function MissingPartNotice(props: { error: unknown; onRetry: () => void; onDismiss: (() => void) | undefined }) {
  const { error, onRetry, onDismiss } = props;
  const dismiss =
    onDismiss &&
    (() => {
      if (error instanceof MissingPart) error.forget();
      onDismiss();
    });
  return (
    <div className={classes.corner}>
      <MissingPartPanel error={error} onRetry={onRetry} onDismiss={dismiss} />
    </div>
  );
}

/** What failed to load, why if known, and what to do: retry, or reload into the new version. */
export function MissingPartPanel(props: {
  error: unknown;
  onRetry?: (() => void) | undefined;
  onDismiss?: (() => void) | undefined;
}) {
  const { error, onRetry, onDismiss } = props;
  const [newer, setNewer] = useState<boolean>();
  useEffect(() => {
    if (!(error instanceof MissingPart)) return;
    let current = true;
    isNewVersionThere().then(
      (there) => current && setNewer(there),
      () => current && setNewer(false),
    );
    return () => {
      current = false;
    };
  }, [error]);
  const missing = error instanceof MissingPart;
  const retry = (): void => {
    if (missing) error.forget();
    onRetry?.();
  };
  return (
    <Alert
      role="alert"
      variant="default"
      icon={newer ? <IconRefresh size={24} /> : <IconPlugConnectedX size={24} />}
      title={newer ? 'A new version is available' : missing ? 'This part could not be loaded' : 'This part failed'}
      withCloseButton={onDismiss !== undefined}
      closeButtonLabel="Dismiss"
      onClose={() => onDismiss?.()}
    >
      <Text size="sm">
        {newer
          ? `This part belongs to the previous version. Reload to continue; ${
              isKept()
                ? 'what you have typed is kept, except secrets.'
                : 'your browser does not let this page keep what you have typed.'
            }`
          : missing
            ? 'The service may be unavailable. What you have typed stays.'
            : error instanceof Error
              ? error.message
              : String(error)}
      </Text>
      <Group gap="xs" mt="sm">
        {!newer && (
          <Button size="xs" onClick={retry}>
            Try again
          </Button>
        )}
        <Button size="xs" variant={newer ? 'filled' : 'default'} onClick={reloadKeepingDrafts}>
          Reload
        </Button>
      </Group>
    </Alert>
  );
}
