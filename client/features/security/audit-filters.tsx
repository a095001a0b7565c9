import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { AUDIT_ACTIONS } from '../../../shared/audit.ts';
import type { NamedSubject } from '../../../shared/security.ts';
import type { AuditFilter } from '../../api/audit.ts';
import { findOperator, useOperatorNames } from '../../api/names.ts';
import { operatorsQuery } from '../../api/security.ts';
import { useOperator, useRefusal } from '../../api/session.ts';
import { useNameOf } from '../../audit/record-names.tsx';
import { actorPart, shortId, thingOf } from '../../audit/record-sentence.ts';
import { hasPeople } from '../../deployment.ts';
import { clockTime } from '../../lib/format-time.ts';
import { relativeTime } from '../../lib/period.ts';
import { momentOf, onClock } from '../../lib/time-zone.ts';
import { type ChoiceFilter, type FilterPanelProps, Options } from '../../list/filter-panel.tsx';
import type { UseFilters } from '../../list/filters.tsx';
import { filterIn } from './search-params.ts';

/** The filters of the audit trail: who, about, when, and what, where the default is changes only. */
export const useAuditFilters: UseFilters = (address, changeAddress) => {
  const { identityId } = useOperator();
  const filter = filterIn(address);
  const { action, actor = '', subject = '', changes } = filter;
  const thing = thingOf(subject);
  // A record with both filters, so that the functions for records can name them.
  const record = { action: 'logout', actor, target: null, subject: subject as NamedSubject, details: {} } as const;
  const nameOf = useNameOf([record]);
  const search = { actor, subject, when: whenIn(filter), what: action ?? (changes === 'true' ? CHANGES : '') };
  return {
    filters: [
      { name: 'actor', label: 'Who', Panel: WhoPanel, words: actorPart(record, identityId, nameOf).text },
      {
        name: 'subject',
        label: 'About',
        example: 'setting:mail.from',
        words: thing && (nameOf(thing) ?? `${thing.kind} ${shortId(thing.id)}`),
      },
      whenFilter(filter),
      { name: 'what', label: 'What', choices: WHAT.filter(({ value }) => hasPeople() || value !== 'identity_search') },
    ],
    search,
    change(values, typing) {
      const { when, what, ...others } = { ...search, ...values };
      changeAddress(
        {
          ...others,
          ...('when' in values && timesIn(when)),
          action: what === CHANGES ? undefined : what,
          // Always in the URL, because the default depends on the other filters.
          changes: String(what === CHANGES),
        },
        typing,
      );
    },
  };
};

/** Periods relative to now. */
export const PERIODS: readonly { label: string; from: string; to?: string }[] = [
  { label: 'Last hour', from: '1h' },
  { label: 'Today', from: '0d' },
  { label: 'Yesterday', from: '1d', to: '0d' },
  { label: 'Last 7 days', from: '168h' },
  { label: 'Last 30 days', from: '720h' },
];

/** A filter by time. Its value is the name of a period, or two local times: see `whenIn` and `timesIn`. */
export const whenFilter = (filter: Times): ChoiceFilter => ({
  name: 'when',
  label: 'When',
  choices: [{ value: '', label: 'Any time' }, ...PERIODS.map(({ label }) => ({ value: label, label }))],
  days: 'times',
  words: formatWhen(filter),
});

type Times = Pick<AuditFilter, 'from' | 'to'>;

export function whenIn({ from, to }: Times): string {
  const period = PERIODS.find((one) => one.from === from && one.to === to);
  return period?.label ?? (from === undefined && to === undefined ? '' : `${localTime(from)}..${localTime(to)}`);
}

export function timesIn(when: string | undefined): Record<'from' | 'to', string | undefined> {
  const [first, last] = when?.split('..').map(utcTime) ?? [];
  const { from, to } = PERIODS.find(({ label }) => label === when) ?? { from: first, to: last };
  return { from, to };
}

/** "Yesterday", "from 31 Jan 2026, 09:00"; anything that is not a time is returned unchanged. */
export function formatWhen({ from, to }: Times): string {
  const [first, last] = [from, to].map((time = '') => {
    const date = new Date(relativeTime(time, Date.now()) ?? time);
    return Number.isNaN(date.getTime()) ? time : clockTime(date.getTime(), Date.now());
  });
  const period = PERIODS.find((one) => one.from === from && one.to === to);
  return period?.label ?? (last === '' ? `from ${first}` : first === '' ? `before ${last}` : `${first} to ${last}`);
}

/** The value of a date field in the operator's time zone, with seconds if there are any; '' for no time. */
export function localTime(utc = ''): string {
  const date = new Date(relativeTime(utc, Date.now()) ?? utc);
  if (Number.isNaN(date.getTime())) return '';
  const shifted = onClock(date).toISOString();
  return shifted.endsWith(':00.000Z') ? shifted.slice(0, 16) : shifted.slice(0, 23);
}

/** The value of a date field in UTC; undefined if the field is empty. */
export function utcTime(local: string): string | undefined {
  const time = Date.parse(`${local}Z`);
  return Number.isNaN(time) ? undefined : momentOf(time).toISOString();
}

const CHANGES = 'changes';

const WHAT: readonly { value: string; label: string }[] = [
  { value: '', label: 'Everything' },
  { value: CHANGES, label: 'Changes only' },
  ...AUDIT_ACTIONS.map((action) => ({
    value: action,
    label: {
      login: 'Sign-ins',
      login_refused: 'Refused sign-ins',
      logout: 'Sign-outs',
      setting_write: 'Settings saved',
      setting_delete: 'Settings deleted',
      setting_decrypt: 'Settings revealed',
      setting_restore: 'Settings restored',
      setting_forget: 'Earlier versions of settings removed',
      value_encrypt: 'Values encrypted',
      session_revoke: 'Dashboard sessions ended',
      account_unlock: 'Accounts unlocked',
      recovery_start: 'Recoveries started',
      note_write: 'Notes written',
      note_delete: 'Notes deleted',
      identity_search: 'Identities listed or searched',
      proxy_write: 'Changes through an admin API',
      audit_anchor: 'Trail sealed after a key change',
      audit_prune: 'Trail pruned',
    }[action],
  })),
];

const MOST = 8;

/** Finds operators by part of a name or address. Enter also accepts an id or a whole address. */
export function WhoPanel({ change, close }: FilterPanelProps) {
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const { identityId, email } = useOperator();
  const refusal = useRefusal('operators.read');
  const { data } = useQuery({ ...operatorsQuery, enabled: refusal === undefined });
  const others = data?.operators.map(({ identity_id }) => identity_id).filter((id) => id !== identityId) ?? [];
  const names = useOperatorNames(others);
  const labelOf = (id: string) => [names.get(id)?.name, names.get(id)?.email].filter(Boolean).join(', ') || id;
  const options = [
    { value: identityId, label: `You, ${email}` },
    ...others.map((id) => ({ value: id, label: labelOf(id) })),
  ].filter(({ value, label }) => `${value} ${label}`.toLowerCase().includes(text.toLowerCase()));
  // A response that arrives after a reset, or after the panel has closed, must choose nobody.
  const lookup = useMutation({ mutationFn: findOperator });
  const choose = (actor: string): void => {
    change(actor);
    close();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const first = event.currentTarget.closest('[role=dialog]')?.querySelector<HTMLElement>('[role=option]');
    if (event.key === 'ArrowDown') first?.focus();
    // Without text, Enter would choose an arbitrary person.
    else if (event.key !== 'Enter' || text === '') return;
    else if (first) first.click();
    else if (!text.includes('@')) choose(text);
    else if (refusal === undefined)
      lookup.mutate(text, { onSuccess: (operator) => operator && choose(operator.identity_id) });
    event.preventDefault();
  };
  const isUnknown = lookup.isSuccess && lookup.data === undefined;
  return (
    <>
      <TextInput
        aria-label="Who"
        placeholder="Name, e-mail or ID"
        description={text !== '' && options.length === 0 && 'Press Enter to use an ID or a whole e-mail address.'}
        inputWrapperOrder={['input', 'description', 'error']}
        autoCapitalize="none"
        value={typed}
        error={
          (text.includes('@') && refusal) ||
          lookup.error?.message ||
          (isUnknown && 'No operator signs in with this address.')
        }
        onChange={({ currentTarget }) => {
          lookup.reset();
          setTyped(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <Options label="Operators" options={options.slice(0, MOST)} onChoose={choose} />
    </>
  );
}
