import { Button, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Message } from '../../../api/message-record.ts';
import { digits } from '../../../format/counted.ts';
import { visibleLines } from '../../../format/visible-text.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Section } from '../../../ui/section.tsx';
import { isHtml } from './body-kind.ts';
import { BODY_VIEWS, type BodyView } from './body-view.ts';
import classes from './message-body.module.css';
import { readableText } from './readable-text.ts';
import { safeDocument } from './safe-document.ts';
import { BODY_MAX_CHARACTERS, safeParts } from './safe-html.ts';

const TITLE = 'Content';
const LABELS: Record<BodyView, string> = { text: 'Text', formatted: 'Formatted', source: 'Source' };

const route = getRouteApi('/signed-in/messages/$id');

/** Subject and body, if the service returns them: as text or, on request, formatted or as HTML source. */
export function MessageBody({ message: { subject, body } }: { message: Message }) {
  if (body === undefined && subject === undefined) return <HiddenBody />;
  return (
    <Section
      title={TITLE}
      about="A code or link in it may still work: anyone who has it can sign in as this person."
      actions={body === undefined || body === '' ? undefined : <CopyButton label="Copy the body" read={() => body} />}
    >
      {subject !== undefined && subject !== '' && (
        <Text fw={600} mb="xs" className={classes.subject}>
          <bdi>{visibleLines(subject)}</bdi>
        </Text>
      )}
      {body === undefined || body.trim() === '' ? (
        <Text size="sm" c="dimmed">
          {body === undefined ? 'The identity service hides the body.' : 'The body is empty.'}
        </Text>
      ) : isHtml(body) ? (
        <HtmlBody source={body} />
      ) : (
        <Plain label="Body as text" text={body} />
      )}
    </Section>
  );
}

const HiddenBody = () => (
  <Section title={TITLE}>
    <Text size="sm" c="dimmed">
      The identity service hides subjects and bodies, because they contain codes and links that sign people in. It shows
      them only in development mode.
    </Text>
  </Section>
);

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
          <iframe sandbox="" srcDoc={safeDocument(parts)} title="Body, formatted" className={classes.paper} />
          <Text size="xs" c="dimmed">
            Styles, images and forms are removed, and links are shown as text. Nothing is loaded from other servers.
          </Text>
        </>
      )}
      {view === 'source' && <Plain label="Body source" text={source} />}
    </>
  );
}

const Plain = ({ label, text }: { label: string; text: string }) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard */}
    <section tabIndex={0} aria-label={label} className={classes.plain}>
      {visibleLines(text.slice(0, BODY_MAX_CHARACTERS))}
    </section>
    {text.length > BODY_MAX_CHARACTERS && (
      <Text size="xs" c="dimmed">
        Only the first {digits(BODY_MAX_CHARACTERS)} characters are shown. Copy the body to get all of it.
      </Text>
    )}
  </>
);
