import { randomUUID } from 'node:crypto';

export const MESSAGES = '/api/identity-admin/admin/courier/messages';

/** A message as Kratos gives it. */
export interface SentMessage {
  id: string;
  status: string;
  recipient: string;
  subject: string;
  body: string;
  [member: string]: unknown;
}

export const sentMessage = (members: Partial<SentMessage>): SentMessage => ({
  id: randomUUID(),
  status: 'sent',
  type: 'email',
  recipient: 'somebody@example.org',
  subject: 'Use code 123456 to recover access to your account',
  body: 'Your code: 123456',
  template_type: 'recovery_code_valid',
  channel: 'email',
  send_count: 1,
  created_at: '2026-01-31T09:00:00Z',
  updated_at: '2026-01-31T09:00:00Z',
  ...members,
});

/** Whatever a browser reports, loads or runs if it is let. */
export const HOSTILE_MAIL = `<!doctype html><html><head><style>p { color: red }</style><link rel="stylesheet" href="https://evil.example/x.css"><base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/"></head>
<body onload="alert(1)" style="background: url(https://evil.example/b)"><h1 style="color:red" onclick="alert(1)">Hello</h1>
<script>alert(1)</script><img src="https://evil.example/x.png" onerror="alert(1)" alt=""><svg onload="alert(1)"><style>p{}</style><circle style="fill:red"/></svg>
<p style=color:red>Choose <a href="https://evil.example/?a=1" style="x">Choose a new password</a></p>
<form action="https://evil.example/"><p>Your password</p><input name="p" autofocus onfocus="alert(1)"><button formaction="javascript:alert(1)">Go</button></form>
<iframe src="https://evil.example/"></iframe><object data="https://evil.example/"></object><video src="https://evil.example/v" autoplay></video>
<template><p style="x">t</p></template><table background="https://evil.example/t"><tr><td style="x" width=1>cell</td></tr></table></body></html>`;
