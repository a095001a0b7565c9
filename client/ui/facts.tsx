import { Code, Group, Stack, Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { exactly, formatAge, timeAgo } from '../lib/format-time.ts';
import { visibleJson, visibleText } from '../lib/visible-text.ts';
import { CopyButton } from './copy.tsx';
import { useNow } from './hooks.tsx';
import { Dimmed } from './layout.tsx';
import classes from './ui.module.css';

/** Names and values side by side, or stacked on a narrow screen. */
export function FactList({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <Stack component="dl" gap="0.625rem" m={0} fz="sm">
      {facts.map(([name, value]) => (
        <div key={name} className={classes.fact}>
          <dt>{visibleText(name)}</dt>
          <dd>{typeof value === 'string' ? <bdi>{visibleText(value)}</bdi> : value}</dd>
        </div>
      ))}
    </Stack>
  );
}

/** A long value in full, such as a secret, with a copy button. @param what its name in “Copied client secret” */
export const CopyableValue = ({ label, what, value }: { label?: string; what: string; value: string }) => (
  <div>
    {label !== undefined && (
      <Text size="sm" fw={500}>
        {label}
      </Text>
    )}
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Code block flex={1} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {value}
      </Code>
      <CopyButton what={what} read={() => value} />
    </Group>
  </div>
);

/**
 * "2 hours ago", with the exact time on hover. Times before 1970 are unknown: Go sends the year 1 for an unset time.
 */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const date = new Date(at ?? Number.NaN);
  if (at === null || at === undefined || !(date.getTime() > 0)) return <span>unknown</span>;
  return (
    <time dateTime={at} title={exactly(date)}>
      {timeAgo(date, Date.now())}
    </time>
  );
}

/** "31 Jan 2026, 09:00:00 UTC+1" in the operator's time zone; text that is not a time is returned unchanged. */
export function exactTime(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : exactly(date);
}

/** A circle, a triangle, a diamond and a ring. */
const DOTS = {
  good: ['green-7', 'M4.5 0a4.5 4.5 0 0 1 0 9 4.5 4.5 0 0 1 0-9z'],
  warning: ['orange-6', 'M4.5 0 9 9H0z'],
  bad: ['red-7', 'M4.5 0 9 4.5 4.5 9 0 4.5z'],
  off: ['dimmed', 'M4.5 0a4.5 4.5 0 0 1 0 9 4.5 4.5 0 0 1 0-9zm0 1.5a3 3 0 0 0 0 6 3 3 0 0 0 0-6z'],
} as const;

/** A status mark and its text. Statuses differ in both shape and colour. */
export function StatusDot({ status, children }: { status: keyof typeof DOTS; children: ReactNode }) {
  const [colour, shape] = DOTS[status];
  const style = { '--tone': `var(--mantine-color-${colour})` } as CSSProperties;
  return (
    <Group component="span" display="inline-flex" gap={8} align="baseline" wrap="nowrap" fz="sm">
      <svg viewBox="0 0 9 9" className={classes.dot} style={style} data-status={status} aria-hidden>
        <path d={shape} />
      </svg>
      <span>{children}</span>
    </Group>
  );
}

/** A value as JSON with a copy button. @param about what the JSON is, and what it lacks */
export function JsonText({ label, about, value }: { label: string; about: ReactNode; value: unknown }) {
  const text = visibleJson(value);
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap">
        <Dimmed>{about}</Dimmed>
        <CopyButton what="JSON" read={() => text} />
      </Group>
      <Code block tabIndex={0} role="region" aria-label={label}>
        {text}
      </Code>
    </Stack>
  );
}

const EVERY_MS = 5_000;

/** The scope of a number and its age by the server's clock: "of 20,000 checked, 40 s ago". */
export function DataAge({ of, asOf, clockAheadMs }: { of?: string; asOf: string; clockAheadMs: number }) {
  const age = formatAge(useNow(EVERY_MS) + clockAheadMs - Date.parse(asOf));
  return (
    <Dimmed size="xs" data-age>
      {of === undefined ? age : `${of}, ${age}`}
    </Dimmed>
  );
}
