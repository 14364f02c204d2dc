"use strict";
// The items: sorted, filtered, and opened on a click. Texts become text nodes, never markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 100;
  const body = document.querySelector(".items tbody");
  const filter = document.getElementById("filter");
  const group = document.getElementById("group");
  const more = document.getElementById("more");
  const count = document.getElementById("count");
  const absent = document.getElementById("absent");
  const number = new Intl.NumberFormat("en");
  const state = { key: "score", descending: true, chosen: data.items, shown: 0, open: new Set() };

  for (const item of data.items) item.width = item.high - item.low;

  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  }

  function place(score) {
    const share = (score - data.low) / (data.high - data.low);
    return `${(100 * Math.min(Math.max(share, 0), 1)).toFixed(2)}%`;
  }

  function range(item) {
    const drawn = item.asked
      ? make("span", "range", make("i"), make("b"))
      : make("span", "range", make("i"));
    drawn.style.setProperty("--from", place(item.low));
    drawn.style.setProperty("--to", place(item.high));
    if (item.asked) drawn.style.setProperty("--at", place(item.score));
    return drawn;
  }

  const anchor = (item) => `item-${item.id}`;

  function line(item) {
    const open = make("button", "open", item.id);
    open.type = "button";
    open.setAttribute("aria-expanded", "false");
    const name = make("th", "c-id", open);
    name.scope = "row";
    name.dir = "auto";
    const text = make("td", "c-text", item.response.slice(0, 160));
    text.dir = "auto";
    const row = make(
      "tr",
      item.asked ? "line" : "line unasked",
      name,
      text,
      make("td", "c-group", item.group),
      make("td", "num c-score", item.scoreText),
      ...(data.labelled ? [make("td", "num c-label", item.labelText)] : []),
      ...(data.anchored ? [make("td", "num c-panel", item.panelText)] : []),
      make("td", "c-interval", range(item), make("span", "ends", item.intervalText)),
      make("td", "num c-calls", number.format(item.calls)),
      make("td", "num c-spent", item.spentText),
    );
    row.id = anchor(item);
    if (!item.asked) row.title = "No judge scored it: the interval is what the others predict.";
    row.addEventListener("click", () => {
      // Whoever marks text to copy it does not want the row to move.
      if (String(getSelection())) return;
      toggle(item, row);
    });
    if (state.open.has(item)) queueMicrotask(() => toggle(item, row, true));
    return row;
  }

  function toggle(item, row, reopen = false) {
    const button = row.querySelector(".open");
    const opened = reopen || button.getAttribute("aria-expanded") === "false";
    button.setAttribute("aria-expanded", String(opened));
    row.classList.toggle("opened", opened);
    if (opened) {
      state.open.add(item);
      row.after(detail(item));
    } else {
      state.open.delete(item);
      row.nextElementSibling.remove();
    }
  }

  // A cell over all columns; narrow windows and paper hide some.
  const heads = [...document.querySelectorAll(".items thead th")];
  const columns = () => heads.filter((head) => head.offsetWidth).length;

  function across(child) {
    const cell = make("td", "across", child);
    cell.colSpan = columns();
    return cell;
  }

  function said(heading, text) {
    const words = make("pre", "said", text);
    words.dir = "auto";
    words.tabIndex = 0;
    return [make("h4", "", heading), words];
  }

  // What a judge said is listed from its highest score to its lowest; what has no score is last.
  function entries(answers) {
    const rank = ([, got, trouble]) => (trouble ? -Infinity : Number(got));
    return [...answers].sort((a, b) => rank(b) - rank(a) || b[5] - a[5]);
  }

  function entry([, got, trouble, cost, text, times]) {
    const what = make("div", "what", make("span", trouble ? "none" : "got", got));
    if (times > 1) what.append(make("span", "often", `× ${number.format(times)}`));
    const words = make("div", "words");
    if (text) {
      words.append(make("p", "said", text));
      words.lastChild.dir = "auto";
    }
    return make("li", "", what, words, make("span", "cost", cost));
  }

  function ofJudge(judge, answers) {
    const scored = answers.filter(([, , trouble]) => !trouble);
    const sum = (some, value) => some.reduce((total, one) => total + value(one), 0);
    const times = sum(answers, (one) => one[5]);
    const facts = [`${number.format(times)} ${times === 1 ? "answer" : "answers"}`];
    if (scored.length) {
      const mean = sum(scored, (one) => one[5] * Number(one[1])) / sum(scored, (one) => one[5]);
      facts.push(`mean ${mean.toFixed(2)}`);
    }
    return make(
      "section",
      "judge",
      make("h5", "", make("b", "", data.judges[judge]), make("span", "", facts.join(", "))),
      make("ul", "answers", ...entries(answers).map(entry)),
    );
  }

  function detail(item) {
    const left = make("div");
    if (item.prompt) left.append(...said("Prompt", item.prompt));
    left.append(...said("Response", item.response));
    if (item.reference) left.append(...said("Reference", item.reference));
    const link = make("a", "link", "Link to this item");
    link.href = `#${encodeURIComponent(anchor(item))}`;
    left.append(link);
    const right = make("div", "", make("h4", "", "What judges said"));
    for (const judge of data.judges.keys()) {
      const own = item.answers.filter((one) => one[0] === judge);
      if (own.length) right.append(ofJudge(judge, own));
    }
    if (!item.answers.length) right.append(make("p", "", "Nothing is on record."));
    if (item.further) {
      const rest = `and ${number.format(item.further)} more, for which this page has no room`;
      right.append(make("p", "aside", rest));
    }
    return make("tr", "detail", across(make("div", "texts", left, right)));
  }

  // Open the item that the address names, whatever is filtered or not yet shown.
  function goToItem() {
    let wanted = "";
    try {
      wanted = decodeURIComponent(location.hash.slice(1));
    } catch {
      return; // A lone % is no name of ours.
    }
    if (!wanted.startsWith("item-")) return;
    const item = data.items.find((one) => anchor(one) === wanted);
    absent.hidden = item !== undefined;
    if (!item) {
      absent.textContent = `The item ${wanted.slice(5)} is not on this page.`;
      absent.scrollIntoView();
      return;
    }
    if (!state.chosen.includes(item)) {
      filter.value = "";
      if (group) group.value = "";
      choose();
    }
    while (!document.getElementById(wanted)) showMore();
    const row = document.getElementById(wanted);
    if (!state.open.has(item)) toggle(item, row);
    row.scrollIntoView();
  }

  function words(item) {
    item.words ??= [item.id, item.group, item.prompt, item.response, ...item.answers.map((a) => a[4])]
      .join("\n")
      .toLowerCase();
    return item.words;
  }

  function compare(a, b) {
    const one = a[state.key];
    const other = b[state.key];
    // An item without a score comes last, whichever way the others are sorted.
    if (one === null || other === null) {
      return (state.descending ? -1 : 1) * ((one === null) - (other === null));
    }
    if (typeof one === "number") return one - other;
    return one.localeCompare(other, "en", { numeric: true });
  }

  function choose() {
    const wanted = filter.value.trim().toLowerCase();
    const within = group ? group.value : "";
    const sign = state.descending ? -1 : 1;
    state.chosen = data.items
      .filter((item) => (!within || item.group === within) && (!wanted || words(item).includes(wanted)))
      .sort((a, b) => sign * compare(a, b));
    state.shown = 0;
    body.replaceChildren();
    if (!state.chosen.length) {
      body.append(make("tr", "nothing", across("No item matches.")));
    }
    showMore();
    const all = number.format(data.items.length);
    count.textContent =
      state.chosen.length < data.items.length
        ? `${number.format(state.chosen.length)} of ${all} items`
        : `${all} items`;
  }

  function showMore() {
    const next = state.chosen.slice(state.shown, state.shown + PAGE);
    state.shown += next.length;
    body.append(...next.map(line));
    more.hidden = state.shown >= state.chosen.length;
  }

  function makeSortable(head) {
    const button = make("button", "", head.textContent);
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const key = head.dataset.key;
      // Names read from a to z; of numbers the largest are looked for first.
      state.descending = state.key === key ? !state.descending : key !== "id" && key !== "group";
      state.key = key;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
      choose();
    });
  }

  function theme() {
    const button = document.getElementById("theme");
    const root = document.documentElement;
    const remember = (value) => {
      try {
        localStorage.setItem("adjudge-theme", value);
      } catch {
        // Some browsers give files no storage; the choice then lasts as long as the page.
      }
    };
    try {
      const kept = localStorage.getItem("adjudge-theme");
      if (kept === "light" || kept === "dark") root.dataset.theme = kept;
    } catch {
      // As above.
    }
    button.hidden = false;
    button.addEventListener("click", () => {
      const dark = root.dataset.theme
        ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      remember(root.dataset.theme);
    });
  }

  theme();
  heads.filter((head) => head.dataset.key).forEach(makeSortable);
  document.querySelector(".controls").hidden = false;
  filter.addEventListener("input", choose);
  if (group) group.addEventListener("change", choose);
  more.addEventListener("click", showMore);
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting) && !more.hidden) showMore();
  }, { rootMargin: "600px" }).observe(more.parentElement);
  new ResizeObserver(() => {
    for (const cell of body.querySelectorAll(".across")) cell.colSpan = columns();
  }).observe(body);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      filter.focus();
    }
  });
  choose();
  goToItem();
  addEventListener("hashchange", goToItem);
})();
