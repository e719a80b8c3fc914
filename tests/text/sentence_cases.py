"""Sentences of many languages, one case a line, parted by ` | ` where a sentence starts.

White space stands at every ` | `, but in Chinese and Japanese, which write none.
"""

from __future__ import annotations

CASES = {
    "en": """
The lamp blinks. | It is ready.
Dr. Brown met Mrs. Green and Lt. Gray. | They talked.
Ask Prof. Lee, Sen. Hill or Gov. Ray. | They know.
He works at Acme Inc. | She left.
He works at Acme Inc. and sells lamps. | Nice.
Acme Corp. Chairman Bob Ray spoke. | We heard.
Tools, lamps, cables, etc. | The rest is sold.
Bring lamps, cables, etc. to the hall. | Thanks.
See fig. 3 and eqs. 4 to 6. | Then go on.
(See fig. 3.) | It shows a lamp.
It blinks (see fig. 3). | Then it stops.
Smith et al. (2020) say so. | Jones et al. disagree.
The U.S. Army and the U.K. Navy met. | Nobody won.
They live in the U.S. | Their son lives here.
He came at 5 p.m. | He left at 6 a.m. on Friday.
She has a Ph.D. | Her son has none.
J. R. R. Miller wrote it. | E. B. Hill did not.
It was you and I. | Did you know?
Take Vitamin C. | It helps.
It costs $3.99 or €4.50. | Pay now.
Pi is 3.14159. | The rest is noise.
Section 7.2.1 says so. | Section 8. | That is all.
1. Open the lid. | 2. Close the lid.
1) Open the lid | 2) Close the lid | 3) Go
a. Open the lid. | b. Close the lid.
Use v2.4.1 or v3.0. | Both work.
Open main.py and setup.cfg. | Then run them.
See https://example.org/a.b?c=d. | Then mail a.b@example.org. | Done.
It opens at 9.30 and closes at 5:15. | Come early.
"Stop." | Then he left.
"Stop!" he said. | Then he left.
“Wait. Now.” | Then he left.
He said ‘No.’ | She said yes.
"Why?" she asked. | "Because." | He smiled.
Wait... what happened? | Nothing... | It was late.
Well, I mean . . . it is hard. | Is it?
What?! | No way!! | Yes.
He shops at Yahoo! every day. | She does not.
Great! 🎉 | Next one. 👍🏽 | Done.
It was so.[1] | Then it was not.[2][3] | End.
It was so.¹ | Then it was not.
**Stop.** | Go on.
Nobody knew (was it he?) what to do. | It rained.
Words were left out [...] of this. | Fine.
St. Mary lies on Main St. near Mt. Hood. | Go there.
Volume II. | It starts here.
iPhones are phones. | iPads are not. | www.example.org knows.
Mr. and Mrs. Hill came vs. Mr. Ray. | Who won?
It weighs 5 lbs. | The other weighs 6 kg.
Is the answer no? | The answer is no. | Fine.
Come on Jan. 5 or Feb. 6. | Not in Dec. | We close.
He left. | (She did not.) | They met.
They know CSS. | Lamps do not.
She sent an SMS. | Nobody replied.
Log in via SSH. | Type your name.
It speaks TCP. | Packets arrive.
Sgt. Brown lives on Hill Blvd. Saturday is free.
Do this: 1. Open the lid. | 2. Close the lid.
Do this: 1) Open the lid. | 2) Close the lid.
Do this: a. Open the lid. | b. Close the lid.
It ends at: 2. | Then go.
There are two: a) this lamp and b) that one. | Take both.
He said “Go.”, then left. | She stayed.
""",
    "de": """
Die Lampe blinkt. | Sie ist bereit.
Das ist z. B. gut. | Ja, d. h. sehr gut.
Das ist z.B. gut. | Ja, d.h. sehr gut.
Er wohnt in der Hauptstr. 5 in Bonn. | Sie nicht.
Siehe Nr. 5 und Abb. 3. | Dann weiter.
Am 3. Oktober ist frei. | Am 4. nicht.
Im 19. Jahrhundert war das anders. | Heute nicht.
Der 1. FC spielt am 5. Tag. | Wir schauen zu.
Es kostet 3,50 Euro oder 1.000,75 Euro. | Zahlen Sie.
Am Ende kamen Hunde, Katzen usw. | Dann ging er.
Hunde, Katzen usw. Tiere sind das. | Ja.
Dr. med. Weber und Prof. Dr. Klein kamen. | Sie blieben.
Frau Dipl.-Ing. Kurz sprach mit Hrn. Lang. | Er schwieg.
Er sagte: „Komm.“ | Dann ging er.
„Komm!“, rief er. | Sie kam.
„Halt!“ rief er. | Niemand hielt.
»Gut.« | Er lachte.
Das steht auf S. 225 f. im Buch. | Lies es.
Nach § 5 Abs. 2 S. 1 gilt das. | Das Gesetz ist alt.
Vgl. Kap. 3 bzw. Bd. 2. | Dort steht es.
Das war ca. 300 v. Chr. in Rom. | Dann kam Sextus.
Er kam um 8.30 Uhr. | Sie kam später.
Er heißt J. S. Lamp. | Sie heißt A. Schmidt.
Kasimir XIV. regierte lange. | Er starb 1715. | Danach kam Kasimir XV. an die Macht.
Version 2.0 läuft auf example.de. | Probier es.
Er arbeitet bei der Lampen AG. | Die Firma ist alt.
1. Öffnen. | 2. Schließen.
Wirklich? | Ja! | Na gut ...
Er zögerte ... und ging. | Sie blieb.
Sie zahlt u. a. die Miete. | Er zahlt nichts.
Das gilt i. d. R. nicht. | Frag nach.
Öffnen Sie datei.txt. | Fertig.
Er wurde 90 Jahre alt. | Am 2.5.2020 starb er.
Das kostet 3 Mio. Euro. | Der Staat zahlt.
Es sind 2 Mrd. Menschen. | Das ist viel.
Nach 5 Min. Pause und 2 Std. Zeit kam er. | Sie nicht.
Mit 5 cm. Abstand passt es. | Es sind 5 cm. | Das reicht.
Ein Beutel mit 5 kg. Mehl ist da. | Er ist voll.
Die Fa. Lampe und die Fam. Kabel zahlen. | Sie sind reich.
Der Name kommt per DNS. | Server antworten.
Es kommt per DHL. | Laut Plan morgen.
Das war 300 n. u. Z. | Danach kam er.
""",
    "fr": """
La lampe clignote. | Elle est prête.
M. Dupont est là. | Il parle.
Mme Petit et M. Grand arrivent. | Ils mangent.
Voir p. 12 et chap. 3. | Puis continuez.
Selon l'art. 5 du code, c'est permis. | Bien.
C'était en 50 av. J.-C. à Rome. | Sextus vivait.
Il naquit en 20 apr. J.-C. | Il mourut vieux.
Où est-il ? | Il est parti ! | Bien.
Il dit : « Oui. » | Puis il partit.
« Non ! » cria-t-il. | Elle rit.
« Oui. Non. Peut-être. » | Il hésite.
Cela coûte 3,50 € ou 1 000,75 €. | Payez.
Des lampes, des câbles, etc. | Tout est vendu.
Des lampes, etc. sont vendues. | Venez.
Le Dr Martin et le Pr. Blanc sont là. | Ils attendent.
Il habite à St. Denis. | Elle aussi.
J. P. Martin écrit. | A. Blanc lit.
Il travaille chez Lampes S.A. | Elle est au chômage.
Le train part à 8 h 30. | Il arrive à 10 h.
C'est la version 2.0. | Elle marche.
Voyez exemple.fr. | C'est utile.
Cf. fig. 3 et vol. 2. | C'est clair.
1. Ouvrez. | 2. Fermez.
Il hésita… puis il partit. | Elle resta.
Quoi ?! | Rien. | Bon…
L'affaire (voir p. 3) est close. | On rentre.
Le XIXe siècle fut long. | Le XXe fut court.
— Bonjour. | — Bonsoir.
Où vas-tu ? demanda Paul. | Nulle part.
""",
    "es": """
La lámpara parpadea. | Está lista.
El Sr. García y la Sra. López llegaron. | ¿Qué dijeron? | ¡Nada!
La Dra. Ruiz vive en EE. UU. desde 2010. | Le gusta.
Vive en los EE. UU. | Su hijo no.
Véase la pág. 3 y el art. 5. | Luego siga.
Ud. sabe más. | Uds. no.
Nació en el s. V a. C. en Roma. | Murió joven.
Cuesta 3,50 euros o 1.000,75 euros. | Pague.
Lámparas, cables, etc. | Todo se vende.
Hay lámparas, cables, etc. en venta. | Venga.
Dijo: «Sí.» | Luego se fue.
«¡No!», gritó. | Ella rió.
¡Alto! | ¿Quién es? | Soy yo.
Trabaja en Lámparas S.A. | Ella no trabaja.
Son las 5 p. m. en Madrid. | Es tarde.
El Prof. D. Juan Lampedo habló. | Todos callaron.
J. L. Lampedo escribió. | A. Cablero también.
Vive en la Avda. Sol núm. 5. | Es bonita.
La versión 2.0 está en ejemplo.es. | Pruébela.
1. Abra. | 2. Cierre.
Dudó... y se fue. | Ella se quedó.
¿Qué?! | No puede ser. | Vaya…
El km. 5 está lejos. | El mar está cerca. | El agua es azul.
Habló del mar. | Pedro escuchó.
El tren sale a las 8.30. | Llega a las 10.
“Vale.” | Y se marchó.
Cf. cap. 3, vol. 2 y fig. 4. | Está claro.
El Lic. Mora y la Ing. Paz firman. | El contrato vale.
Vivió en el año 50 a. C. | El mundo era otro.
""",
    "ru": """
Лампа мигает. | Она готова.
А. С. Лампин родился в 1871 г. в Москве. | Он был поэтом.
Он жил в г. Москве на ул. Ламповой, д. 5. | Потом уехал.
Это было в 1898 г. | В 1899 г. всё изменилось.
В XIX в. жили иначе. | Сейчас не так.
Были кошки, собаки и т. д. | Они спали.
Были кошки и т. п. звери. | Все спали.
Купили хлеб, соль и др. | Иванов заплатил.
Это стоит 5 руб. 20 коп. за штуку. | Дорого.
Это стоит 30 тыс. руб. | Он заплатил.
Т. е. так нельзя. | Вот и всё.
См. рис. 3 и табл. 4. | Там всё есть.
См. стр. 12, гл. 3. | Там ответ.
Он сказал: «Да». | Потом ушёл.
«Нет!» — крикнул он. | Она засмеялась.
«Куда ты? Зачем?» — спросил он. | Никуда.
Он сказал: «Хватит.» | Она кивнула.
Проф. Иванов и акад. Петров спорили. | Все слушали.
Г-н Смирнов им. не знаком. | Он новый.
Театр им. Лампина открыт. | Я видел их и верил им. | Они врали.
Температура 36,6. | Это норма.
Версия 2.0 на example.ru. | Скачайте.
Он колебался… и ушёл. | Она осталась.
Что?! | Ничего. | Ну…
1. Откройте. | 2. Закройте.
Встреча в 10.30. | Не опоздай.
Рим основан в 753 г. до н. э. | Так говорят.
Длина 5 км. | Ширина 3 м. | Это много.
Иванов И. И. пришёл. | Петров П. П. ушёл.
""",
    "zh": """
灯在闪。 | 它准备好了。
你好吗？ | 我很好！ | 谢谢。
版本3.14很好。 | 价格是3.99元。
他说：“你好。我是小明。” | 然后走了。
“你好吗？”他问。 | 我说好。
“走吧！”她说。 | 我们走了。
我们去看《来吧！朋友》好吗？ | 好！
他（你认识他吗？）来了。 | 我走了。
会议在10:30开始。 | 请准时。
见第3.2节。 | 然后继续。
他想了想……然后走了。 | 没人知道。
真的吗？！ | 是的。
请看https://example.cn/a.b。 | 谢谢。
发邮件到a.b@example.cn。 | 好的。
「好。」 | 他走了。
苹果、梨等。 | 都很好吃。
增长了３．５％。 | 很多。
打开main.py。 | 运行它。
太好了！🎉 | 下一个。
“好。” | 她笑了。 | 他没笑。
他在U.S.A.工作。 | 她来自中国。
今天下雨. | 明天晴天.
他写道：“完了。” | 信到此为止。
（完。） | 下一章。
一、打开。 | 二、关上。
他来了， 她走了。 | 结束。
他说“好。”，然后走了。 | 她没走。
他问「好？」；她说好。 | 结束。
我见了Mr. Lamp。 | 他很好。
Dr. Li来了。 | 见Fig. 3。
他说：“Mr. Lamp来了。” | 然后走了。
１．第一项。 | ２．第二项。
1. 第一项。 | 2. 第二项。
步骤：1. 打开。 | 2. 关上。
步骤：１．打开。 | ２．关上。
""",
    "ja": """
ランプが光る。 | 準備ができた。
元気ですか？ | 元気です！ | よかった。
「はい。」と彼は言った。 | 次の日。
彼は「本当に来るの？」と聞いた。 | 私は『行きます！』と答えた。
「行こう。」 | 彼は立った。
「早く！急いで！」という声がした。 | 誰だろう。
バージョン2.1です。 | 次は2.2です。
３．５％増えた。 | 多い。
価格は3.99ドル。 | 安い。
会議は10:30から。 | 遅れるな。
彼（本当か？）が来た。 | 私は帰った。
図3.2を見る。 | 次へ進む。
えっ？！ | 本当？ | うん。
そうか……わかった。 | 行こう。
https://example.jp/a.bを見て。 | ありがとう。
a.b@example.jpに送る。 | 以上。
main.pyを開く。 | 実行する。
すごい！🎉 | 次。
『坊っちゃん。』を読んだ。 | 面白い。
（終わり。） | 次の章。
「もう帰る！」って叫んだ。 | 誰も聞かない。
りんご、梨など。 | 全部おいしい。
Dr. Leeが来た。 | 話した。
良い｡ | 悪い｡
「はい。」が口癖だ。 | 困る。
第1章。 | 始まり。
「はい。」、と彼は言った。 | 次の日。
これはMr. Lampです。 | 話した。
図はFig. 3です。 | 次。
１．開く。 | ２．閉じる。
""",
    "ar": """
المصباح يومض. | إنه جاهز.
هل وصلت؟ | نعم. | شكرا!
قال د. أحمد إن الأمر سهل. | ثم خرج.
جاء أ. د. سامي إلى الجامعة. | تحدث طويلا.
السعر 3.99 ريال. | ادفع الآن.
انظر ص. 12 من الكتاب. | ثم تابع.
عاش في القرن الثالث ق.م. في روما. | ثم مات.
تفاح وموز إلخ. | كل شيء للبيع.
قال: «نعم.» | ثم خرج.
«هل أنت هنا؟» سأل الرجل. | لم يجب أحد.
الإصدار 2.0 متاح. | حمله الآن.
زوروا example.org اليوم. | شكرا.
راسلنا على a.b@example.org. | شكرا.
يبدأ في 10:30. | لا تتأخر.
1. افتح الباب. | 2. أغلق الباب.
انتظر... | ماذا حدث؟ | لا شيء.
ماذا؟! | لا أصدق. | حسنا…
رائع! 🎉 | التالي.
هذا الرجل (هل تعرفه؟) جاء أمس. | رحل اليوم.
كتبه م. علي. | قرأه الجميع.
النسبة 3.5٪. | هذا كثير.
انظر الشكل 3.2 أدناه. | واضح.
افتح main.py. | شغله.
"نعم." | ثم سكت.
لا أعرف؛ ربما غدا. | سنرى.
قال: «نعم.»، ثم خرج. | بقيت هي.
جاء أحمد. | ذهب علي. | بقي سامي.
""",
    "hi": """
दीपक जल रहा है। | वह तैयार है।
आप कैसे हैं? | मैं ठीक हूँ। | धन्यवाद!
डॉ. शर्मा आए। | वे बैठे।
प्रो. वर्मा और श्री. गुप्ता मिले। | बात हुई।
के. एल. दीपकर गायक थे। | सब जानते हैं।
ए. पी. जे. अनिल दीपकर राष्ट्रपति थे। | वे वैज्ञानिक थे।
दाम रु. 500 है। | महँगा है।
दाम 3.99 रुपये है। | सस्ता है।
पृ. 12 देखें। | फिर आगे बढ़ें।
यह 300 ई. पू. की बात है। | तब राजा था।
उसने कहा, "हाँ।" | फिर वह गया।
उसने पूछा, "कौन है? कहाँ है?" | कोई नहीं बोला।
संस्करण 2.0 आ गया। | ले लो।
example.org देखें। | धन्यवाद।
a.b@example.org पर लिखें। | धन्यवाद।
बैठक 10:30 पर है। | देर मत करना।
1. दरवाज़ा खोलो। | 2. दरवाज़ा बंद करो।
रुको... | क्या हुआ? | कुछ नहीं।
क्या?! | सच? | हाँ।
बहुत अच्छा! 🎉 | अगला।
वह (क्या तुम जानते हो?) आया। | मैं गया।
पहला वाक्य। | दूसरा वाक्य। | तीसरा।
चित्र 3.2 देखें। | साफ़ है।
main.py खोलो। | चलाओ।
दूरी 5 कि.मी. है। | पास है।
श्लोक समाप्त॥ | अब अर्थ।
राम ने रावण को मारा। | सीता लौटी।
ए.पी.जे. दीपकर आए। | वे बैठे।
डॉ. बी.आर. दीपकर आए। | वे बैठे।
दूरी 5 कि.मी. | मैंने नापा।
""",
    "th": """
เขาเดินทางไปเชียงใหม่เมื่อสัปดาห์ก่อนกับครอบครัว | นอกจากนี้ยังไปเที่ยวลำปางด้วย
วันนี้อากาศดีมากครับ | ผมจะไปเดินเล่นที่สวน
คุณสบายดีไหม | ฉันสบายดีค่ะ
เขาชอบกินผลไม้หลายชนิด เช่น มะม่วง กล้วย และส้ม
นาย สมชาย ใจดี มาแล้ว
ดร. สมชาย มาถึงแล้ว
เขาเกิดเมื่อปี พ.ศ. 2540 ที่กรุงเทพ
ประชุมเวลา 10.30 น. ที่ห้องใหญ่
ราคา 3.99 บาท ต่อชิ้น
เขาพูดว่า ไม่เป็นไร
ดูเว็บ example.org ได้
รุ่น 2.0 ออกแล้ว
หนังสือต่างๆ อยู่บนโต๊ะ
มะม่วง กล้วย ส้ม ฯลฯ อยู่ในตะกร้า
จริงหรือ? | ใช่!
เยี่ยมมาก! 🎉 | ต่อไป
เขาทำงานหนักทุกวันเพื่อครอบครัวของเขา | อย่างไรก็ตามเขาก็มีความสุขดี
เธออ่านหนังสือในห้องสมุดทั้งวัน แต่ไม่ได้พักเลย
บ้านหลังนี้สร้างขึ้นเมื่อหลายปีก่อน ซึ่งเป็นบ้านของปู่
รถไฟออกจากสถานีกรุงเทพตอนเช้ามืดทุกวัน | ผู้โดยสารส่วนใหญ่เป็นนักเรียนและคนทำงาน
เขาคือคนที่เรารอ และเขามาแล้ว
ส่งจดหมายถึง a.b@example.org วันนี้
1. เปิดประตู
สูง 120 ซม. และกว้าง 50 ซม.
ฝนตกหนักมากเมื่อคืนนี้ในกรุงเทพ | ดังนั้นถนนหลายสายจึงมีน้ำท่วม
พวกเขาเดินไปโรงเรียน เพราะรถเสีย
ฝนตกหนักมากเมื่อคืนนี้ | เพราะฉะนั้นถนนจึงมีน้ำท่วม
เขาเรียนที่กรุงเทพ | ต่อมาเขาย้ายไปเชียงใหม่
เขากินข้าวเช้าที่บ้าน | จากนั้นเขาไปทำงาน
ร้านนี้เปิดทุกวัน | ทั้งนี้ไม่รวมวันหยุด
เขาทำงานหนักมาก | ในที่สุดเขาก็สำเร็จ | ดังนั้น เขาจึงดีใจ
ราคาน้ำมันสูงขึ้นมาก เมื่อเทียบกับปีก่อน
เขาเหนื่อยมากวันนี้ | อย่างไรก็ตาม เขาไม่หยุด
""",
    "it": """
La lampada lampeggia. | È pronta.
Il Sig. Rossi e la Dott.ssa Bianchi arrivano. | Parlano.
Vedi pag. 3 e art. 5. | Poi continua.
Nacque nel 50 a.C. a Roma. | Morì vecchio.
Disse: «Sì.» | Poi uscì.
Costa 3,50 euro. | Paga.
Lampade, cavi, ecc. sono in vendita. | Vieni.
Lavora alla Lampade S.p.A. | Lei no.
G. B. Lampi scrisse. | A. Cavo no.
Dove vai? | Via! | Bene…
1. Apri. | 2. Chiudi.
Il Prof. Verdi e l'Avv. Neri firmano. | È fatta.
""",
    "pt": """
A lâmpada pisca. | Está pronta.
O Sr. Silva e a Dra. Costa chegaram. | Falaram.
Veja a pág. 3 e o art. 5. | Depois continue.
Nasceu em 50 a.C. em Roma. | Morreu velho.
Disse: “Sim.” | Depois saiu.
Custa R$ 3,50. | Pague.
Lâmpadas, cabos, etc. estão à venda. | Venha.
Trabalha na Lâmpadas S.A. | Ela não.
J. M. Lampeiro escreveu. | A. Cabo também.
Onde? | Aqui! | Bem…
1. Abra. | 2. Feche.
Mora na Av. Sol n.º 5. | É bonita.
""",
    "nl": """
De lamp knippert. | Ze is klaar.
Dhr. De Vries en mevr. Jansen kwamen. | Ze praatten.
Zie blz. 3 en art. 5. | Ga dan door.
Dit is bijv. goed, d.w.z. heel goed. | Ja.
Hij leefde in 50 v.Chr. in Rome. | Hij stierf oud.
Hij zei: ‘Ja.’ | Toen ging hij.
Het kost € 3,50. | Betaal nu.
Lampen, kabels enz. zijn te koop. | Kom langs.
Hij werkt bij Lampen B.V. | Ze werkt niet.
J. P. de Wit schreef. | A. Bos las.
Waar? | Hier! | Goed...
1. Open. | 2. Sluit.
""",
    "pl": """
Lampa miga. | Jest gotowa.
Dr Nowak i prof. Kowalski przyszli. | Rozmawiali.
Zob. str. 3 i art. 5. | Potem dalej.
To jest np. dobre, tzn. bardzo dobre. | Tak.
Żył w 50 r. p.n.e. w Rzymie. | Umarł stary.
Lampy, kable itd. | To wszystko.
Kosztuje 3,50 zł za sztukę. | Płać.
W XIX w. było inaczej. | Dziś nie.
Mieszka przy ul. Długiej 5. | Ona nie.
Dnia 3. maja jest święto. | Potem nie.
J. P. Nowak pisał. | A. Lis czytał.
Gdzie? | Tu! | Dobrze…
""",
}
UNSPACED = {"zh", "ja"}


def cases() -> list[tuple[str, list[str]]]:
    """Language and sentences of every case."""
    return [
        (language, line.split(" | "))
        for language, lines in CASES.items()
        for line in lines.strip().splitlines()
    ]
