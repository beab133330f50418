#pragma once

#include <string>

#include "document/document.h"

// Documents as they are found in the wild, written for these tests.
namespace dragoman::document {

struct Page {
  Format format;
  std::string bytes;
};

inline const Page kPages[] = {
    // A page of a shop.
    {Format::html, R"(<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Caf&eacute; Lumi&egrave;re &ndash; breakfast &amp; more</title>
  <link rel=stylesheet href="/style.css?v=1&amp;t=2">
  <style>body > p { color: #333; } /* not text */</style>
  <script type="text/javascript">
    // if (a < b && "</p>" != c) alert('not text');
  </script>
</head>
<body class="home page">
  <!-- navigation -->
  <nav><ul>
    <li><a href="/">Home</a></li><li class=active><a href='/menu' title="Our > menu">Menu</a>
    <li><a href=/contact>Contact us</a>
  </ul></nav>
  <h1>Welcome to <em>Caf&eacute; Lumi&egrave;re</em>!</h1>
  <p>Our <strong>fresh</strong> bread is baked <em>every <b>single</b> morning</em>.
     You can have it <a href="/menu#bread" target="_blank">here</a>, or take it&nbsp;home.</p>
  <p><img src="a.jpg" alt="A cup"> A cup of coffee costs <span class="price">&euro;&#8201;2.50</span>.<br>
     Tea is <del>3</del> <ins>2</ins> euros.</p>
  <table><tr><th>Day<th>Open<tr><td>Monday<td>8&ndash;18<tr><td>Sunday<td><i>closed</i></table>
  <form action="/order"><label>Your name <input name=n placeholder="Name"></label>
    <select><option>Bread<option selected>Cake</select>
    <textarea>Write to us</textarea><button type=submit>Send <i class="icon"></i></button></form>
  <footer>&copy; 2024 Lumi&egrave;re. All rights reserved. <a href="#top">Back to top</a></footer>
</body>
</html>
)"},
    // Documentation of a program.
    {Format::html, R"(<article><h2 id="use">How to use it</h2>
<p>Run <code>make install</code> as <kbd>root</kbd>, then edit <var>PREFIX</var>/etc/tool.conf. The option
<code>--force</code><sup><a href="#n1">[1]</a></sup> is <em>dangerous</em>: it removes files.</p>
<pre><code>$ make
$ make install</code></pre>
<pre>
The first line
   and an <b>indented</b> one
</pre>
<dl><dt>verbose<dd>Print <i>more</i> messages.<dt>quiet<dd>Print <i>fewer</i> of them; see <a href="x"><code>man</code> page</a>.</dl>
<p translate="no">Dragoman &lt;dragoman@example.org&gt;</p>
<p>The name <span translate="no">Dragoman</span> comes from <i lang="ar">tarjuman</i>.</p>
<p>Very long<wbr>words break. So&shy;me do not.<p>An unclosed paragraph with <b>bold text
</article>
)"},
    // A fragment from an editor.
    {Format::html, "Hello <b>world</b>! <i>How <u>are</u> you</i>?&nbsp; <font color=red>Fine</font>, thanks :-)"},
    // A newsletter of nested tables, with upper case, old tags and comments of a browser.
    {Format::html,
     R"(<TABLE WIDTH="100%"><TR><TD ALIGN=center><FONT FACE="Arial"><B>News of the week</B></FONT></TD></TR>
<TR><TD><!--[if mso]><p>Outlook</p><![endif]--><TABLE><TR><TD><CENTER>Click <A HREF="http://example.org/?a=1&b=2">here</A>
if you cannot read this mail.</CENTER><HR><P>Dear reader,<P>the sun is shining &mdash; <BIG>finally</BIG>!  We hope
that <SMALL>you</SMALL> enjoy it.</TABLE></TABLE>
)"},
    // A page with a formula and a picture.
    {Format::html, R"(<figure><svg viewBox="0 0 1 1"><title>Circle</title><text>r</text></svg>
<figcaption>A circle of radius <var>r</var>. Its area is not small.</figcaption></figure>
<p>Some say &ldquo;<q>less is more</q>&rdquo; &hellip; others don&rsquo;t. <s>Nobody</s> <mark>Everybody</mark> agrees.</p>
<blockquote><p>One. Two! Three? <cite>Someone</cite></p></blockquote>
<details><summary>More</summary><ol><li><p>First item</p></li><li>Second <small>(small)</small> item</li></ol></details>
)"},
    {Format::xml, R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE book [<!ENTITY who "somebody">]>
<book xmlns="http://example.org/book">
  <chapter id="1"><title>The <emph>first</emph> chapter</title>
    <para>It was a dark night.  The <ref to="2"/> wind blew &amp; blew; <emph>nobody &who;</emph> slept.</para>
    <para><![CDATA[raw <text>]]> Text after it.</para>
  </chapter>
</book>
)"},
    {Format::srt,
     "1\n00:00:00,500 --> 00:00:02,000\nHello there,\n<i>my old</i> friend.\n\n"
     "2\n00:00:02,500 --> 00:00:04,000\n- Where were you?\n- At home.\n"},
    {Format::markdown, R"(---
title: Notes
---
# The *first* title

Some words, **bold** and `code`, with a [link](https://example.org "title")
that go on. Another sentence.

1. One item
2. Another <kbd>Enter</kbd> item

| Name | Meaning |
|------|--------:|
| a    | **not** b |

> Quoted words
)"},
    {Format::text,
     "Dear Sir,\n\nthank you for your letter. We will send:\n  - two books\n  - a map\n\n\tYours,\n\tA. B.\n"},
};

}  // namespace dragoman::document
