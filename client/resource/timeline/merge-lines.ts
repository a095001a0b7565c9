import type { ReactNode } from 'react';
import { timeOf } from '../../../shared/json.ts';
import { dayOf as nameOfDay } from '../../format/english-time.ts';
import { exactTime } from '../../ui/relative-time.tsx';
import type { TimelineKind } from './timeline-kinds.ts';

/** Something that happened. */
export interface TimelineLine {
  /** Unique within its timeline. */
  id: string;
  /** ISO 8601; a line of an unknown time comes last. */
  at: string;
  kind: TimelineKind;
  /** A sentence with links to what it is about. */
  text: ReactNode;
  detail?: ReactNode;
  /** A valid IP address, where it happened: its place is added once it is known. */
  address?: string | undefined;
  /** What can be done about it, such as taking it back. */
  action?: ReactNode;
}

/** The lines of one source, as far as it has been read. */
export interface ReadPart {
  lines: readonly TimelineLine[];
  /**
   * Milliseconds since the epoch: all lines after it are there. `EVERYTHING` once there is nothing more to read, `NOTHING`
   * before the first answer.
   */
  readTo: number;
}

export const EVERYTHING = Number.NEGATIVE_INFINITY;
export const NOTHING = Number.POSITIVE_INFINITY;

/** How far back all parts have been read. */
export const readToOf = (parts: readonly ReadPart[]): number =>
  parts.reduce((latest, { readTo }) => Math.max(latest, readTo), EVERYTHING);

/**
 * The lines of all parts, newest first, as far back as every one of them has been read: reading on only appends. A part
 * may have another line of the very time it was read to, so that time itself is left out.
 */
export function mergedLines(parts: readonly ReadPart[]): TimelineLine[] {
  const readTo = readToOf(parts);
  return parts
    .flatMap(({ lines }) => lines)
    .filter(({ at }) => readTo === EVERYTHING || knownTime(at) > readTo)
    .sort((one, other) => compare(knownTime(other.at), knownTime(one.at)));
}

/** Go programs send the year 1 for no time. */
function knownTime(at: string): number {
  const time = timeOf(at);
  return time > 0 ? time : EVERYTHING;
}

const compare = (one: number, other: number): number => (one === other ? 0 : one - other);

/** The lines of one day. */
export interface TimelineDay {
  /** "31 Jan 2026", or words for no day. */
  name: string;
  lines: readonly TimelineLine[];
}

/** Groups lines that come newest first, in the time zone in which times are shown. @param now milliseconds */
export function byDay(lines: readonly TimelineLine[], now: number): TimelineDay[] {
  const days: { name: string; lines: TimelineLine[] }[] = [];
  for (const line of lines) {
    const name = dayOf(line.at, now);
    const day = days.at(-1);
    if (day?.name === name) day.lines.push(line);
    else days.push({ name, lines: [line] });
  }
  return days;
}

const DAY_MS = 86_400_000;

function dayOf(at: string, now: number): string {
  if (knownTime(at) === EVERYTHING) return 'Time unknown';
  const date = dateOf(at);
  if (date === dateOf(new Date(now).toISOString())) return `Today, ${date}`;
  return date === dateOf(new Date(now - DAY_MS).toISOString()) ? `Yesterday, ${date}` : date;
}

const dateOf = (at: string): string => nameOfDay(new Date(at));

/** "09:00:00", in the operator's time zone, without its name; nothing for an unknown time. */
export const timeOfDay = (at: string): string =>
  knownTime(at) === EVERYTHING ? '' : (/\d\d:\d\d:\d\d/.exec(exactTime(at))?.[0] ?? '');
