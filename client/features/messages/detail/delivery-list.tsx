import { Text } from '@mantine/core';
import type { Delivery, Message } from '../../../api/message-record.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Section } from '../../../ui/section.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import classes from './delivery-list.module.css';
import { formatOutcome, formatProgress } from './format-delivery.ts';

/** Each attempt to deliver a message, with the reason for a failure. */
export function DeliveryList({ message }: { message: Message }) {
  const { deliveries } = message;
  return (
    <Section title="Delivery" about={formatProgress(message)}>
      {deliveries.length === 0 ? (
        <Text size="sm" c="dimmed">
          {message.attempts === 0 ? 'No delivery attempt yet.' : 'The identity service has no record of the attempts.'}
        </Text>
      ) : (
        <ol className={classes.attempts}>
          {deliveries.map((delivery) => (
            <Attempt key={delivery.id} delivery={delivery} />
          ))}
        </ol>
      )}
    </Section>
  );
}

function Attempt({ delivery }: { delivery: Delivery }) {
  const { status, at, reason } = delivery;
  return (
    <li>
      <StatusDot status={status === 'success' ? 'good' : status === 'failed' ? 'bad' : 'off'}>
        {visibleText(formatOutcome(delivery))}{' '}
        <Text span size="sm" c="dimmed">
          <RelativeTime at={at} />
        </Text>
      </StatusDot>
      {reason !== undefined && (
        <Text size="sm" className={classes.reason}>
          <bdi>{visibleText(reason)}</bdi>
        </Text>
      )}
    </li>
  );
}
