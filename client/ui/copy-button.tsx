import { ActionIcon } from '@mantine/core';
import { useEffect, useState } from 'react';
import { copyAndSay } from './feedback/copy-by-hand.tsx';
import { toast } from './feedback/toasts.tsx';
import { useSingleFlight } from './hooks/use-single-flight.ts';
import { IconCheck, IconCopy } from './icons.ts';

const SHOWS_SUCCESS_MS = 2_000;

/**
 * Copies a text without showing it.
 * @param read returns the text, directly or after a request
 * @param onError shows a failed request next to the value
 */
export function CopyButton(props: {
  label: string;
  read: () => string | Promise<string>;
  onError?: (error: Error) => void;
}) {
  const [copied, setCopied] = useState(false);
  const { run, pending } = useSingleFlight();
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWS_SUCCESS_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () =>
    run(async () => {
      try {
        setCopied(await copyAndSay(await props.read()));
      } catch (error) {
        if (props.onError !== undefined) props.onError(error as Error);
        else toast((error as Error).message);
      }
    });
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={props.label}
      title={props.label}
      loading={pending}
      onClick={() => void copy()}
    >
      {copied ? <IconCheck /> : <IconCopy />}
    </ActionIcon>
  );
}
