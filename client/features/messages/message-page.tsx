import { Button, Code, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ComponentType, type CSSProperties, type ReactNode, useMemo } from 'react';
import { identityQuery } from '../../api/identities.ts';
import { type Delivery, type Message, messagePageQuery, messageQuery } from '../../api/messages.ts';
import { useCan } from '../../api/session.ts';
import { holders } from '../../deployment.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { identityIdIn } from '../../lib/identity-name.ts';
import { formatChannel, formatTemplate, messageStatus } from '../../lib/labels.ts';
import { visibleLines, visibleText } from '../../lib/visible-text.ts';
import { recordPage } from '../../record/record-page.tsx';
import { Columns, CopyableFact, HeadingFacts, useRecord } from '../../record/tabs.tsx';
import { LinkButton } from '../../ui/buttons.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { FactList, RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { IconUserSearch } from '../../ui/icons.tsx';
import { Dimmed, PageHeading, Section, TextLink } from '../../ui/layout.tsx';
import { IdentityLink } from '../../ui/person.tsx';
import { HelpButton } from '../identities/identity-actions.tsx';
import { BODY_MAX_CHARACTERS, isHtml, readableText, safeDocument, safeParts } from './message-html.ts';
import { BODY_VIEWS, type BodyView, MESSAGES } from './message-resource.ts';

export const MessagePage: ComponentType = recordPage(MESSAGES, {
  query: messageQuery,
  list: messagePageQuery,
  isId: (id) => identityIdIn(id) !== undefined,
  header: (message) => <MessageHeader message={message} />,
  tabs: [['', 'Overview', OverviewTab]],
  json: {
    about: <JsonNote />,
    value: ({ document }) => document,
  },
});

function JsonNote() {
  return useCan()('upstreams.write')
    ? 'As the identity service returned it, with mail server names in errors redacted.'
    : 'Without subject, body and delivery attempts.';
}

function MessageHeader({ message }: { message: Message }) {
  const { id, template, recipient, status, attempts, person } = message;
  const { dot, label } = messageStatus(status, attempts);
  return (
    <PageHeading
      title={formatTemplate(template)}
      about={
        <HeadingFacts>
          <StatusDot status={dot}>{visibleText(label)}</StatusDot>
          {recipient !== '' && (
            <CopyableFact what="recipient" text={recipient}>
              to <bdi>{visibleText(recipient)}</bdi>
            </CopyableFact>
          )}
          <CopyableFact what="message ID" text={id} />
        </HeadingFacts>
      }
      actions={
        person === undefined
          ? recipient !== '' && (
              <LinkButton leftSection={<IconUserSearch />} to="/identities" search={{ q: recipient }}>
                Find this person
              </LinkButton>
            )
          : failed(message) && <Recover id={person.id} recipient={recipient} />
      }
    />
  );
}

function OverviewTab() {
  const message = useRecord(messageQuery);
  const { template, channel, recipient, created, updated, person } = message;
  const about = formatTemplate(template);
  const facts: [string, ReactNode][] = [
    ['About', template === '' ? 'unknown' : about === template ? about : `${about} (${template})`],
    ['Channel', formatChannel(channel)],
    ['Created', <RelativeTime key="created" at={created} />],
    ['Last change', <RelativeTime key="updated" at={updated} />],
  ];
  if (person !== undefined) facts.push(['Person', <IdentityLink key="person" {...person} identifier={recipient} />]);
  if (recipient !== '')
    facts.push([
      'Recipient',
      <TextLink key="recipient" size="sm" to="/messages" search={{ recipient }}>
        All messages to this recipient
      </TextLink>,
    ]);
  return (
    <Columns
      wide="second"
      first={
        <>
          <Section title="At a glance">
            <FactList facts={facts} />
          </Section>
          <DeliveryList message={message} />
        </>
      }
      second={<MessageBody message={message} />}
    />
  );
}

const failed = ({ status, attempts }: Message): boolean =>
  status === 'abandoned' || (status === 'queued' && attempts > 0);

/** For a person whom messages do not reach. */
function Recover({ id, recipient }: { id: string; recipient: string }) {
  const { data: identity } = useQuery(identityQuery(id));
  return identity && <HelpButton identity={identity} help={{ act: 'recovery' }} about={recipient} />;
}

function DeliveryList({ message }: { message: Message }) {
  const { deliveries } = message;
  const may = useCan();
  const isWhole = may('upstreams.write');
  const help = isWhole ? 'create a recovery code' : may('identities.recover') && 'send a recovery link';
  return (
    <Section title="Delivery" about={formatProgress(message, help ? `, or you can ${help} on their page` : '')}>
      {!isWhole ? (
        <Dimmed>{counted(message.attempts, 'attempt', 'attempts')}.</Dimmed>
      ) : deliveries.length === 0 ? (
        <Dimmed>
          {message.attempts === 0 ? 'No delivery attempt yet.' : 'The identity service has no record of the attempts.'}
        </Dimmed>
      ) : (
        <List type="ordered" spacing="xs">
          {deliveries.map((delivery) => (
            <Attempt key={delivery.id} delivery={delivery} />
          ))}
        </List>
      )}
    </Section>
  );
}

const OUTCOMES = new Map<string, { dot: 'good' | 'bad'; label: string }>([
  ['success', { dot: 'good', label: 'Accepted' }],
  ['failed', { dot: 'bad', label: 'Failed' }],
]);

function Attempt({ delivery: { status, at, reason } }: { delivery: Delivery }) {
  const { dot, label } = OUTCOMES.get(status) ?? { dot: 'off' as const, label: status || 'unknown' };
  return (
    <List.Item>
      <StatusDot status={dot}>
        {visibleText(label)}{' '}
        <Dimmed span>
          <RelativeTime at={at} />
        </Dimmed>
      </StatusDot>
      {reason !== undefined && (
        <Text size="sm">
          <bdi>{visibleText(reason)}</bdi>
        </Text>
      )}
    </List.Item>
  );
}

/** @param help what the operator can do instead, to end a sentence */
function formatProgress({ status, attempts }: Message, help: string): string {
  switch (status) {
    case 'queued':
      if (attempts > 0) return `The last attempt failed. The courier will try again${help}.`;
      return 'Waiting for the courier. If the identity service runs without one, messages stay queued.';
    case 'processing':
      return 'The courier is sending it now, or will retry after a failed attempt.';
    case 'sent':
      return 'The mail or SMS server accepted it. Whether it arrived is unknown.';
    case 'abandoned':
      return `The courier gave up after ${counted(attempts, 'attempt', 'attempts')}. Messages cannot be resent. The person can request a new one${help}.`;
    default:
      return 'The identity service reports a status that this dashboard does not support.';
  }
}

const TITLE = 'Content';
const LABELS: Record<BodyView, string> = { text: 'Text', formatted: 'Formatted', source: 'Source' };

const route = getRouteApi('/signed-in/messages/$id');

/** Subject and body, if the service returns them: as text or, on request, formatted or as HTML source. */
function MessageBody({ message: { subject, body } }: { message: Message }) {
  if (!useCan()('upstreams.write'))
    return (
      <Section title={TITLE}>
        <Dimmed>
          Only {holders(['upstreams.write'])} can read subjects and bodies, because they may contain codes.
        </Dimmed>
      </Section>
    );
  if (body === undefined && subject === undefined)
    return (
      <Section title={TITLE}>
        <Dimmed>
          The identity service hides subjects and bodies, because they may contain codes and links that sign people in.
          It shows them only in development mode.
        </Dimmed>
      </Section>
    );
  return (
    <Section
      title={TITLE}
      about="A code or link in the message may still work: anyone who has it may be able to sign in as this person."
      actions={body === undefined || body === '' ? undefined : <CopyButton what="message body" read={() => body} />}
    >
      {subject !== undefined && subject !== '' && (
        <Text fw={600} mb="xs">
          <bdi>{visibleLines(subject)}</bdi>
        </Text>
      )}
      {body === undefined || body.trim() === '' ? (
        <Dimmed>{body === undefined ? 'The identity service hides the body.' : 'The body is empty.'}</Dimmed>
      ) : isHtml(body) ? (
        <HtmlBody source={body} />
      ) : (
        <Plain label="Body as text" text={body} />
      )}
    </Section>
  );
}

function HtmlBody({ source }: { source: string }) {
  const { as: view = 'text' } = route.useSearch();
  const navigate = route.useNavigate();
  const parts = useMemo(() => safeParts(source), [source]);
  if (parts === undefined)
    return (
      <>
        <Text size="sm" mb="sm">
          This message is too long or too deeply nested to show as text. This is its source.
        </Text>
        <Plain label="Body source" text={source} />
      </>
    );
  return (
    <>
      <Button.Group aria-label="Show the body as" mb="sm">
        {BODY_VIEWS.map((option) => (
          <Button
            key={option}
            size="xs"
            variant={view === option ? 'filled' : 'default'}
            aria-pressed={view === option}
            onClick={() =>
              void navigate({
                search: option === 'text' ? {} : { as: option },
                state: (current) => current,
                replace: true,
                resetScroll: false,
              })
            }
          >
            {LABELS[option]}
          </Button>
        ))}
      </Button.Group>
      {view === 'text' && <Plain label="Body as text" text={readableText(parts)} />}
      {view === 'formatted' && (
        <>
          <iframe sandbox="" srcDoc={safeDocument(parts)} title="Body, formatted" style={PAPER} />
          <Dimmed size="xs">
            Styles, images and forms are removed, and links are shown as text. Nothing is loaded from other servers.
          </Dimmed>
        </>
      )}
      {view === 'source' && <Plain label="Body source" text={source} />}
    </>
  );
}

/** Mails are designed for a white background, even in dark mode. */
const PAPER: CSSProperties = {
  display: 'block',
  width: '100%',
  height: '24rem',
  resize: 'vertical',
  border: '1px solid var(--mantine-color-default-border)',
  borderRadius: 'var(--mantine-radius-default)',
  background: '#fff',
  colorScheme: 'light',
};

const WRAPPED: CSSProperties = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' };

const Plain = ({ label, text }: { label: string; text: string }) => (
  <>
    <Code block tabIndex={0} role="region" aria-label={label} mah="32rem" style={WRAPPED}>
      {visibleLines(text.slice(0, BODY_MAX_CHARACTERS))}
    </Code>
    {text.length > BODY_MAX_CHARACTERS && (
      <Dimmed size="xs">
        Only the first {digits(BODY_MAX_CHARACTERS)} characters are shown. Copy the body to get all of it.
      </Dimmed>
    )}
  </>
);
