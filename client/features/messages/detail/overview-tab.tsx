import { Anchor, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { messageQuery } from '../../../api/message-record.ts';
import { formatChannel, formatTemplate } from '../../../format/message.ts';
import { useRecord } from '../../../resource/detail/use-record.tsx';
import { FactList } from '../../../ui/fact-list.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Section } from '../../../ui/section.tsx';
import { MessageBody } from '../body/message-body.tsx';
import { DeliveryList } from './delivery-list.tsx';

export function OverviewTab() {
  const message = useRecord(messageQuery);
  const { template, channel, recipient, created, updated } = message;
  const facts: [string, ReactNode][] = [
    [
      'About',
      template === '' || formatTemplate(template) === template
        ? template || 'unknown'
        : `${formatTemplate(template)} (${template})`,
    ],
    ['Channel', formatChannel(channel)],
    ['Created', <RelativeTime key="created" at={created} />],
    ['Last change', <RelativeTime key="updated" at={updated} />],
  ];
  if (recipient !== '')
    facts.push([
      'Recipient',
      <Anchor
        key="recipient"
        size="sm"
        renderRoot={(props) => <Link {...props} to="/messages" search={{ recipient }} preload={false} />}
      >
        All messages to this recipient
      </Anchor>,
    ]);
  return (
    <Stack gap="md">
      <Section title="At a glance">
        <FactList facts={facts} />
      </Section>
      <DeliveryList message={message} />
      <MessageBody message={message} />
    </Stack>
  );
}
